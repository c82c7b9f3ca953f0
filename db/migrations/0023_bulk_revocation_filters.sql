ALTER TABLE "bulk_revocations" ADD COLUMN "filter" jsonb;--> statement-breakpoint
ALTER TABLE "bulk_revocations" ADD COLUMN "seen" integer;