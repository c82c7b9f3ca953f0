CREATE TABLE "request_log_usage" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_counts" (
	"subject" text PRIMARY KEY NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "request_log_usage" ADD CONSTRAINT "request_log_usage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;