CREATE INDEX "operations_failed" ON "operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'failed' and kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "operations_ended" ON "operations" USING btree ("workspace_id","finished_at") WHERE finished_at is not null;
--> statement-breakpoint
-- What ended long ago (server/ledger/archive.ts). The checks also tell the planner which statements need not look there.
CREATE TABLE "archived_operations" (
	CONSTRAINT "archived_operations_pkey" PRIMARY KEY ("workspace_id", "id"),
	CONSTRAINT "archived_operations_ended" CHECK (status in ('confirmed', 'failed') and finished_at is not null)
) INHERITS ("operations");--> statement-breakpoint
CREATE INDEX "archived_operations_tokens" ON "archived_operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "archived_operations_failed" ON "archived_operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'failed' and kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "archived_operations_wallet" ON "archived_operations" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST) WHERE wallet is not null;--> statement-breakpoint
CREATE INDEX "archived_operations_from_wallet" ON "archived_operations" USING btree ("workspace_id","from_wallet","seq" DESC NULLS LAST) WHERE from_wallet is not null;--> statement-breakpoint
CREATE INDEX "archived_operations_signature" ON "archived_operations" USING btree ("workspace_id","signature") WHERE signature is not null;--> statement-breakpoint
CREATE TABLE "archived_transactions" (
	CONSTRAINT "archived_transactions_pkey" PRIMARY KEY ("signature"),
	CONSTRAINT "archived_transactions_ended" CHECK (status in ('confirmed', 'failed', 'expired') and wire is null),
	CONSTRAINT "archived_transactions_final" CHECK (status <> 'confirmed' or finalized_at is not null),
	CONSTRAINT "archived_transactions_counted" CHECK (status = 'expired' or fee is null or counted_at is not null)
) INHERITS ("transactions");--> statement-breakpoint
CREATE INDEX "archived_transactions_workspace" ON "archived_transactions" USING btree ("workspace_id","created_at");--> statement-breakpoint
-- Audits: what landed since a slot
CREATE INDEX "archived_transactions_slot" ON "archived_transactions" USING btree ("workspace_id","slot");
