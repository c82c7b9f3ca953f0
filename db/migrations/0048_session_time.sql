ALTER TABLE "attestations" ADD COLUMN "submitted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "closing" boolean DEFAULT false NOT NULL;