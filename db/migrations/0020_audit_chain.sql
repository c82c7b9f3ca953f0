CREATE TABLE "audit_anchors" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"place" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"state" text NOT NULL,
	"signature" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "audit_anchors_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "audit_anchors_state" CHECK ("audit_anchors"."state" in ('made', 'found', 'lost'))
);
--> statement-breakpoint
CREATE TABLE "audit_chains" (
	"account_id" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_links" (
	"workspace_id" text NOT NULL,
	"place" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_links_workspace_id_place_pk" PRIMARY KEY("workspace_id","place"),
	CONSTRAINT "audit_links_hash" CHECK (length("audit_links"."hash") = 32 and "audit_links"."place" > 0)
);
--> statement-breakpoint
ALTER TABLE "audit_anchors" ADD CONSTRAINT "audit_anchors_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_chains" ADD CONSTRAINT "audit_chains_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_links" ADD CONSTRAINT "audit_links_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_anchors_newest" ON "audit_anchors" USING btree ("workspace_id","created_at");--> statement-breakpoint
CREATE INDEX "audit_anchors_found" ON "audit_anchors" USING btree ("workspace_id") WHERE state = 'found';--> statement-breakpoint
CREATE UNIQUE INDEX "audit_links_entry" ON "audit_links" USING btree ("workspace_id","seq");