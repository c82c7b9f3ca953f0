CREATE TABLE "user_links" (
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_links_user_id_kind_pk" PRIMARY KEY("user_id","kind"),
	CONSTRAINT "user_links_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "user_links_kind" CHECK ("user_links"."kind" in ('reset', 'confirm'))
);
--> statement-breakpoint
ALTER TABLE "key_secrets" ADD COLUMN "shown_to" text;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "proof_hash" "bytea";--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "proof_email" text;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "proof_sent_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "user_two_factors" ADD COLUMN "last_step" integer;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "sign_in_generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "user_links" ADD CONSTRAINT "user_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_sessions_expires" ON "user_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "user_verifications_value" ON "user_verifications" USING hash ("value");--> statement-breakpoint
CREATE INDEX "user_verifications_expires" ON "user_verifications" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_proof_hash_unique" UNIQUE("proof_hash");--> statement-breakpoint
UPDATE "key_secrets" s SET "shown_to" = (
	SELECT CASE WHEN e.actor = 'user' THEN e.actor_id END FROM "audit_entries" e
	JOIN "workspaces" w ON w.account_id = e.account_id
	WHERE w.id = s.workspace_id AND e.workspace_id = w.id AND e.subject = s.key_id
		AND e.action IN ('key.created', 'key.rotated') AND e.at >= s.created_at
	ORDER BY e.seq LIMIT 1);--> statement-breakpoint
-- Until now an invitation that the inviter passed on by hand confirmed the address, too; which ones were mailed, nobody knows.
UPDATE "users" SET "email_verified" = false;--> statement-breakpoint
-- Links for a new password, in clear: they are user_links now.
DELETE FROM "user_verifications" WHERE "identifier" LIKE 'reset-password:%';
