CREATE TABLE "ledger_leases" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"token" text DEFAULT '' NOT NULL,
	"until" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger_leases" ADD CONSTRAINT "ledger_leases_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;