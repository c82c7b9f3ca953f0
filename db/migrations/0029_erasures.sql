CREATE TABLE "erasures" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "erasures_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"investor_id" text NOT NULL,
	"wallets" text[] NOT NULL,
	"attestations" integer NOT NULL,
	"revoked" integer NOT NULL,
	"erased_at" timestamp with time zone NOT NULL,
	CONSTRAINT "erasures_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "vendor_redactions" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"erasure_id" text NOT NULL,
	"provider" text NOT NULL,
	"reference" "bytea",
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"done_at" timestamp with time zone,
	CONSTRAINT "vendor_redactions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "vendor_redactions_status" CHECK ("vendor_redactions"."status" in ('requested', 'done', 'not_supported', 'kept'))
);
--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "erased_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "vendor_redactions" ADD CONSTRAINT "vendor_redactions_workspace_id_erasure_id_erasures_workspace_id_id_fk" FOREIGN KEY ("workspace_id","erasure_id") REFERENCES "public"."erasures"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "erasures_investor" ON "erasures" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "vendor_redactions_erasure" ON "vendor_redactions" USING btree ("workspace_id","erasure_id");--> statement-breakpoint
CREATE INDEX "vendor_redactions_due" ON "vendor_redactions" USING btree ("next_attempt_at") WHERE status = 'requested';