ALTER TABLE "attestations" ADD COLUMN "provider_reference" text;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "provider_link" "bytea";--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "provider_link_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "provider_call_until" timestamp with time zone;