CREATE TABLE "change_counts" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "change_counts" ADD CONSTRAINT "change_counts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;