CREATE UNIQUE INDEX "operations_payout" ON "operations" USING btree ("workspace_id",(payload ->> 'payout_id')) WHERE kind = 'pay' and status <> 'failed';--> statement-breakpoint
CREATE INDEX "archived_operations_payout" ON "archived_operations" USING btree ("workspace_id",(payload ->> 'payout_id')) WHERE kind = 'pay' and status <> 'failed';
