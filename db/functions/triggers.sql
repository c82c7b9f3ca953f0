-- Which change calls which function. These are apart from the functions because creating a trigger locks its table against writes:
-- a changed function alone locks nothing.

CREATE OR REPLACE TRIGGER "attestations_investor" BEFORE INSERT ON "attestations"
FOR EACH ROW WHEN (NEW."investor_id" IS NULL) EXECUTE FUNCTION "attestations_investor"();

CREATE OR REPLACE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON "audit_entries"
	FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON "audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER audit_links_append_only BEFORE UPDATE OR DELETE ON "audit_links"
	FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER audit_links_no_truncate BEFORE TRUNCATE ON "audit_links"
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER "key_creator" AFTER INSERT ON "key_secrets"
FOR EACH ROW WHEN (NEW."shown_to" IS NOT NULL) EXECUTE FUNCTION "note_key_creator"();

CREATE OR REPLACE TRIGGER "events_of_new_attestations" AFTER INSERT ON "attestations"
FOR EACH ROW EXECUTE FUNCTION "stage_session_opened"();

CREATE OR REPLACE TRIGGER "events_of_attestations" AFTER UPDATE ON "attestations"
FOR EACH ROW WHEN (NEW."status" <> OLD."status" OR (OLD."event_at" IS NULL AND NEW."event_at" IS NOT NULL))
EXECUTE FUNCTION "stage_attestation_change"();

-- An operation that is done again, because its slot vanished, has already had its event.
CREATE OR REPLACE TRIGGER "events_of_operations" AFTER UPDATE ON "operations"
FOR EACH ROW WHEN (NEW."status" <> OLD."status" AND NEW."status" IN ('confirmed', 'failed')
	AND NEW."kind" IN ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release') AND NOT OLD."redo")
EXECUTE FUNCTION "stage_operation_end"();

CREATE OR REPLACE TRIGGER "events_of_mint_configs" AFTER UPDATE ON "mint_configs"
FOR EACH ROW WHEN (NEW."paused" <> OLD."paused") EXECUTE FUNCTION "stage_pause"();

-- Counters change with each mint: they fire nothing.
CREATE OR REPLACE TRIGGER "events_of_config_changes"
AFTER UPDATE OF "name", "symbol", "decimals", "required_schema", "transfer_mode", "rules" ON "mint_configs"
FOR EACH ROW WHEN ((OLD."name", OLD."symbol", OLD."decimals", OLD."required_schema", OLD."transfer_mode", OLD."rules")
	IS DISTINCT FROM (NEW."name", NEW."symbol", NEW."decimals", NEW."required_schema", NEW."transfer_mode", NEW."rules"))
EXECUTE FUNCTION "stage_config_change"();

CREATE OR REPLACE TRIGGER "events_of_new_screening_hits" AFTER INSERT ON "screening_hits"
FOR EACH ROW WHEN (NEW."frozen_at" IS NOT NULL) EXECUTE FUNCTION "stage_freeze"();

CREATE OR REPLACE TRIGGER "events_of_screening_hits" AFTER UPDATE ON "screening_hits"
FOR EACH ROW WHEN ((NEW."frozen_at" IS NULL) <> (OLD."frozen_at" IS NULL)) EXECUTE FUNCTION "stage_freeze"();

CREATE OR REPLACE TRIGGER "events_of_wallet_freezes" AFTER INSERT OR DELETE ON "wallet_freezes"
FOR EACH ROW EXECUTE FUNCTION "stage_wallet_freeze"();

CREATE OR REPLACE TRIGGER "events_of_new_holds" AFTER INSERT ON "holds"
FOR EACH ROW WHEN (NEW."state" = 'active') EXECUTE FUNCTION "stage_hold"();

CREATE OR REPLACE TRIGGER "events_of_holds" AFTER UPDATE ON "holds"
FOR EACH ROW WHEN (NEW."state" <> OLD."state" AND NEW."state" IN ('active', 'released', 'executed', 'expired'))
EXECUTE FUNCTION "stage_hold"();

CREATE OR REPLACE TRIGGER "events_of_new_recoveries" AFTER INSERT ON "recoveries"
FOR EACH ROW EXECUTE FUNCTION "stage_recovery"();

CREATE OR REPLACE TRIGGER "events_of_recoveries" AFTER UPDATE ON "recoveries"
FOR EACH ROW WHEN (NEW."state" <> OLD."state") EXECUTE FUNCTION "stage_recovery"();

CREATE OR REPLACE TRIGGER "events_of_snapshots" AFTER UPDATE ON "snapshots"
FOR EACH ROW WHEN (NEW."ready_at" IS NOT NULL AND OLD."ready_at" IS NULL) EXECUTE FUNCTION "stage_snapshot"();

CREATE OR REPLACE TRIGGER "events_of_new_distributions" AFTER INSERT ON "distributions"
FOR EACH ROW EXECUTE FUNCTION "stage_distribution"();

CREATE OR REPLACE TRIGGER "events_of_distributions" AFTER UPDATE ON "distributions"
FOR EACH ROW WHEN (NEW."state" <> OLD."state") EXECUTE FUNCTION "stage_distribution"();

CREATE OR REPLACE TRIGGER "events_of_new_reviews" AFTER INSERT ON "reviews"
FOR EACH ROW EXECUTE FUNCTION "stage_review"();

CREATE OR REPLACE TRIGGER "events_of_reviews" AFTER UPDATE ON "reviews"
FOR EACH ROW WHEN (NEW."state" = 'closed' AND OLD."state" <> 'closed') EXECUTE FUNCTION "stage_review"();

CREATE OR REPLACE TRIGGER "events_of_new_approvals" AFTER INSERT ON "approvals"
FOR EACH ROW EXECUTE FUNCTION "stage_approval"();

CREATE OR REPLACE TRIGGER "events_of_approvals" AFTER UPDATE ON "approvals"
FOR EACH ROW WHEN (NEW."state" <> 'pending' AND (NEW."state" <> 'approved' AND OLD."state" = 'pending'
	OR NEW."state" = 'approved' AND OLD."outcome" IS NULL AND NEW."outcome" IS NOT NULL))
EXECUTE FUNCTION "stage_approval"();

CREATE OR REPLACE TRIGGER "postings_of_new_holdings" BEFORE INSERT ON "holdings"
FOR EACH ROW WHEN (NEW."balance" <> 0 OR NEW."held" <> 0) EXECUTE FUNCTION "post_holding"();

-- What the application posts itself also counts it.
CREATE OR REPLACE TRIGGER "postings_of_holdings" BEFORE UPDATE OF "balance", "held" ON "holdings"
FOR EACH ROW WHEN (NEW."posted" = OLD."posted" AND (NEW."balance" <> OLD."balance" OR NEW."held" <> OLD."held"))
EXECUTE FUNCTION "post_holding"();

-- A posting is dated once, when its transaction is final.
CREATE OR REPLACE TRIGGER "postings_append_only" BEFORE UPDATE ON "postings"
FOR EACH ROW WHEN (OLD."landed_at" IS NOT NULL OR (OLD."workspace_id", OLD."mint_config", OLD."wallet", OLD."seq", OLD."delta",
	OLD."held_delta", OLD."balance", OLD."held", OLD."operation_id") IS DISTINCT FROM (NEW."workspace_id", NEW."mint_config",
	NEW."wallet", NEW."seq", NEW."delta", NEW."held_delta", NEW."balance", NEW."held", NEW."operation_id"))
EXECUTE FUNCTION "refuse_posting_change"();

CREATE OR REPLACE TRIGGER "postings_no_delete" BEFORE DELETE ON "postings"
FOR EACH ROW EXECUTE FUNCTION "refuse_posting_change"();

CREATE OR REPLACE TRIGGER "postings_no_truncate" BEFORE TRUNCATE ON "postings"
FOR EACH STATEMENT EXECUTE FUNCTION "refuse_posting_change"();

CREATE OR REPLACE TRIGGER "holder_movements_append_only" BEFORE UPDATE OR DELETE ON "holder_movements"
FOR EACH ROW EXECUTE FUNCTION "refuse_posting_change"();

CREATE OR REPLACE TRIGGER "holder_movements_no_truncate" BEFORE TRUNCATE ON "holder_movements"
FOR EACH STATEMENT EXECUTE FUNCTION "refuse_posting_change"();

CREATE OR REPLACE TRIGGER "holder_periods_of_new_configs" AFTER INSERT ON "mint_configs"
FOR EACH ROW WHEN (NEW."transfer_mode" = 'holder') EXECUTE FUNCTION "note_holder_period"();

-- Balances are not read back from the chain if there is no mint yet.
CREATE OR REPLACE TRIGGER "holder_periods_of_configs" AFTER UPDATE OF "transfer_mode" ON "mint_configs"
FOR EACH ROW WHEN (NEW."transfer_mode" <> OLD."transfer_mode" AND (NEW."transfer_mode" = 'holder' OR NEW."mint" IS NULL))
EXECUTE FUNCTION "note_holder_period"();

CREATE OR REPLACE TRIGGER "holder_periods_end" AFTER UPDATE OF "counted_up_to" ON "mint_configs"
FOR EACH ROW WHEN (NEW."counted_up_to" IS NULL AND OLD."counted_up_to" IS NOT NULL AND NEW."transfer_mode" = 'agent')
EXECUTE FUNCTION "note_holder_period"();

-- Operations change lots and balances together: they fire nothing.
CREATE OR REPLACE TRIGGER "lots_of_holdings" BEFORE INSERT OR UPDATE ON "holdings"
FOR EACH ROW WHEN (greatest(NEW."balance", 0) <> NEW."lotted") EXECUTE FUNCTION "follow_balance"();
