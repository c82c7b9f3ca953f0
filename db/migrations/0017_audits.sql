CREATE TABLE "audits" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"slot" bigint,
	"at" timestamp with time zone,
	"differences" integer DEFAULT 0 NOT NULL,
	"claimed_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "audits" ADD CONSTRAINT "audits_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;