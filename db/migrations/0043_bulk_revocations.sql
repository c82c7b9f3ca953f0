CREATE TABLE "bulk_revocation_items" (
	"workspace_id" text NOT NULL,
	"revocation_id" text NOT NULL,
	"place" smallint NOT NULL,
	"attestation_id" text NOT NULL,
	"outcome" text,
	"failure" text,
	"attempts" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "bulk_revocation_items_workspace_id_revocation_id_place_pk" PRIMARY KEY("workspace_id","revocation_id","place"),
	CONSTRAINT "bulk_revocation_items_outcome" CHECK ("bulk_revocation_items"."outcome" in ('revoked', 'ended before', 'failed')),
	CONSTRAINT "bulk_revocation_items_failure" CHECK ((outcome is not distinct from 'failed') = (failure is not null))
);
--> statement-breakpoint
CREATE TABLE "bulk_revocations" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"reason" text,
	"public_reason" text,
	"attestations" integer NOT NULL,
	"author_id" text NOT NULL,
	"author_name" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "bulk_revocations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "bulk_revocations_reason" CHECK ((ended_at is null) = (reason is not null))
);
--> statement-breakpoint
ALTER TABLE "bulk_revocation_items" ADD CONSTRAINT "bulk_revocation_items_workspace_id_revocation_id_bulk_revocations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","revocation_id") REFERENCES "public"."bulk_revocations"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_revocations" ADD CONSTRAINT "bulk_revocations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bulk_revocation_items_next" ON "bulk_revocation_items" USING btree ("workspace_id","revocation_id","attempts","place") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "bulk_revocations_own_open" ON "bulk_revocations" USING btree ("workspace_id","created_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "bulk_revocations_open" ON "bulk_revocations" USING btree ("created_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "bulk_revocations_ended" ON "bulk_revocations" USING btree ("ended_at") WHERE ended_at is not null;