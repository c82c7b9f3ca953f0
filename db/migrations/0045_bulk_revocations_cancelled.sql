ALTER TABLE "bulk_revocation_items" DROP CONSTRAINT "bulk_revocation_items_outcome";--> statement-breakpoint
ALTER TABLE "bulk_revocations" ADD COLUMN "canceller_name" text;--> statement-breakpoint
ALTER TABLE "bulk_revocation_items" ADD CONSTRAINT "bulk_revocation_items_outcome" CHECK ("bulk_revocation_items"."outcome" in ('revoked', 'ended before', 'failed', 'left'));--> statement-breakpoint
ALTER TABLE "bulk_revocations" ADD CONSTRAINT "bulk_revocations_cancelled" CHECK (canceller_name is null or ended_at is not null);