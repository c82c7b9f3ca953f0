CREATE TABLE "review_entries" (
	"workspace_id" text NOT NULL,
	"review_id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "review_entries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"finding" text,
	"author_id" text,
	"author_name" text,
	"text" "bytea",
	CONSTRAINT "review_entries_workspace_id_review_id_seq_pk" PRIMARY KEY("workspace_id","review_id","seq"),
	CONSTRAINT "review_entries_author" CHECK (("review_entries"."finding" is null) = ("review_entries"."author_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "reviews_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"attestation_id" text,
	"wallet" text,
	"investor_id" text,
	"opened_at" timestamp with time zone NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"claims" "bytea",
	"approved_claims" "bytea",
	"assignee" text,
	"state" text DEFAULT 'open' NOT NULL,
	"decision" text,
	"reason" "bytea",
	"public_reason" text,
	"requested_by" text,
	"requested_at" timestamp with time zone,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"ending" text,
	"closed_at" timestamp with time zone,
	CONSTRAINT "reviews_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "reviews_kind" CHECK ("reviews"."kind" in ('vendor', 'screening', 'signal')),
	CONSTRAINT "reviews_state" CHECK (case "reviews"."state" when 'open' then "reviews"."decision" is null and "reviews"."closed_at" is null
        when 'requested' then "reviews"."decision" is not null and "reviews"."requested_by" is not null and "reviews"."closed_at" is null
        when 'closed' then "reviews"."closed_at" is not null and "reviews"."ending" is not null else false end),
	CONSTRAINT "reviews_four_eyes" CHECK ("reviews"."decided_by" <> "reviews"."requested_by"),
	CONSTRAINT "reviews_public_reason" CHECK ("reviews"."public_reason" in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable'))
);
--> statement-breakpoint
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_actor";--> statement-breakpoint
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_role";--> statement-breakpoint
ALTER TABLE "members" DROP CONSTRAINT "members_role";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "second_factor_required" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "four_eyes" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "review_id" text;--> statement-breakpoint
ALTER TABLE "user_sessions" ADD COLUMN "two_factor" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "review_entries" ADD CONSTRAINT "review_entries_workspace_id_review_id_reviews_workspace_id_id_fk" FOREIGN KEY ("workspace_id","review_id") REFERENCES "public"."reviews"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_assignee_users_id_fk" FOREIGN KEY ("assignee") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_workspace_id_investor_id_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","investor_id") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_one_open" ON "reviews" USING btree ("workspace_id","kind","subject") WHERE state <> 'closed';--> statement-breakpoint
CREATE INDEX "reviews_newest" ON "reviews" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "reviews_waiting" ON "reviews" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE state <> 'closed';--> statement-breakpoint
CREATE INDEX "reviews_wallet" ON "reviews" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "reviews_attestation" ON "reviews" USING btree ("workspace_id","attestation_id") WHERE state <> 'closed';--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_actor" CHECK ("audit_entries"."actor" in ('user', 'key', 'operator', 'system')) NOT VALID;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('owner', 'developer', 'compliance', 'viewer'));--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_role" CHECK ("members"."role" in ('owner', 'developer', 'compliance', 'viewer'));