CREATE TABLE "wallet_challenges" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"nonce" text NOT NULL,
	"chain_id" text,
	"issued_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "wallet_challenges_workspace_id_attestation_id_pk" PRIMARY KEY("workspace_id","attestation_id")
);
--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "wallet_proof_required" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "wallet_proved_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "held_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "schemas" ADD COLUMN "wallet_proof" boolean;--> statement-breakpoint
ALTER TABLE "wallet_challenges" ADD CONSTRAINT "wallet_challenges_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "wallet_challenges_expired" ON "wallet_challenges" USING btree ("expires_at");