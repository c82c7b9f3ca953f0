CREATE TABLE "quarantines" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"differences" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chains" ADD COLUMN "seen_slot" bigint;--> statement-breakpoint
ALTER TABLE "chains" ADD COLUMN "server" text;--> statement-breakpoint
ALTER TABLE "chains" ADD COLUMN "lineage" text;--> statement-breakpoint
ALTER TABLE "chains" ADD COLUMN "waits_for" text;--> statement-breakpoint
ALTER TABLE "quarantines" ADD CONSTRAINT "quarantines_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;