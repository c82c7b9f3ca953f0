ALTER TABLE "api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
-- The audit log has the creators of earlier keys.
UPDATE "api_keys" k SET "created_by" = e."actor_id" FROM "audit_entries" e
WHERE e."workspace_id" = k."workspace_id" AND e."subject" = k."id" AND e."action" = 'key.created' AND e."actor" = 'user';
