DROP INDEX "attestations_wallet";--> statement-breakpoint
DROP INDEX "attestations_external_id";--> statement-breakpoint
CREATE INDEX "attestations_wallet_end" ON "attestations" USING btree ("workspace_id",right(wallet, 4));--> statement-breakpoint
CREATE INDEX "attestations_wallet" ON "attestations" USING btree ("workspace_id","wallet" text_pattern_ops,"seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_external_id" ON "attestations" USING btree ("workspace_id",lower(external_id) text_pattern_ops) WHERE external_id is not null;