CREATE TABLE "renewal_notices" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"days" smallint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	CONSTRAINT "renewal_notices_workspace_id_attestation_id_days_pk" PRIMARY KEY("workspace_id","attestation_id","days")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "reminders" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "reminder_email" "bytea";--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "reminder_language" text;--> statement-breakpoint
ALTER TABLE "schemas" ADD COLUMN "reminder_days" integer[] DEFAULT '{30,7,1}' NOT NULL;--> statement-breakpoint
ALTER TABLE "renewal_notices" ADD CONSTRAINT "renewal_notices_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "renewal_notices_due" ON "renewal_notices" USING btree ("next_attempt_at") WHERE sent_at is null;--> statement-breakpoint
CREATE INDEX "attestations_reminders" ON "attestations" USING btree ("expires_at") WHERE reminder_email is not null;--> statement-breakpoint
ALTER TABLE "schemas" ADD CONSTRAINT "schemas_reminder_days" CHECK (cardinality("schemas"."reminder_days") <= 5 and 0 < all ("schemas"."reminder_days") and 366 > all ("schemas"."reminder_days"));