DROP INDEX "operations_tokens";--> statement-breakpoint
DROP INDEX "operations_failed";--> statement-breakpoint
CREATE INDEX "operations_tokens" ON "operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release');--> statement-breakpoint
CREATE INDEX "operations_failed" ON "operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'failed' and kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release');--> statement-breakpoint
-- Inherited tables have their own indexes, which Drizzle does not know.
DROP INDEX "archived_operations_tokens";--> statement-breakpoint
DROP INDEX "archived_operations_failed";--> statement-breakpoint
CREATE INDEX "archived_operations_tokens" ON "archived_operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release');--> statement-breakpoint
CREATE INDEX "archived_operations_failed" ON "archived_operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'failed' and kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release');
