-- Each change that workspaces hear of stages an event, in the transaction of the change. `data` identifies its subject and holds
-- nothing personal, because events are kept while the subject may be erased. Amounts are in base units. `triggers.sql` says
-- which change calls which function.

CREATE OR REPLACE FUNCTION "event_time"(in_time timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT to_char(in_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

CREATE OR REPLACE FUNCTION "stage_session_opened"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id", 'session.opened',
		jsonb_build_object('attestation_id', NEW."id", 'user_pubkey', NEW."wallet", 'schema', NEW."schema_id",
			'investor_id', NEW."investor_id"), clock_timestamp());
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_attestation_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	about jsonb := jsonb_build_object('attestation_id', NEW."id", 'user_pubkey', NEW."wallet", 'schema', NEW."schema_id",
		'investor_id', NEW."investor_id");
BEGIN
	IF OLD."event_at" IS NULL AND NEW."event_at" IS NOT NULL THEN
		INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at")
		VALUES (NEW."workspace_id", 'session.submitted', about, clock_timestamp());
	END IF;
	IF NEW."status" <> OLD."status" THEN
		INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at")
		VALUES (NEW."workspace_id", 'attestation.' || NEW."status", about || jsonb_build_object(
			'issued_at', event_time(NEW."issued_at"), 'expires_at', event_time(NEW."expires_at"),
			'revoked_at', event_time(NEW."revoked_at"), 'onchain_tx', NEW."onchain_tx"), clock_timestamp());
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_operation_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		'operation.' || NEW."status", jsonb_build_object('operation_id', NEW."id", 'kind', NEW."kind",
			'mint_config', NEW."mint_config", 'user_pubkey', COALESCE(NEW."wallet", NEW."from_wallet"),
			'from_pubkey', CASE WHEN NEW."wallet" IS NOT NULL THEN NEW."from_wallet" END,
			'amount', NEW."payload" ->> 'amount', 'onchain_tx', CASE NEW."status" WHEN 'confirmed' THEN NEW."signature" END,
			'error', NEW."error_code"), clock_timestamp());
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_pause"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		CASE WHEN NEW."paused" THEN 'token.paused' ELSE 'token.resumed' END,
		jsonb_build_object('mint_config', NEW."id", 'symbol', NEW."symbol"), clock_timestamp());
	RETURN NULL;
END $$;

-- Names the fields of a mint configuration that have changed.
CREATE OR REPLACE FUNCTION "stage_config_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id", 'token.changed',
		jsonb_build_object('mint_config', NEW."id", 'symbol', NEW."symbol", 'changed', to_jsonb(array_remove(ARRAY[
			CASE WHEN NEW."name" <> OLD."name" THEN 'name' END,
			CASE WHEN NEW."symbol" <> OLD."symbol" THEN 'symbol' END,
			CASE WHEN NEW."decimals" <> OLD."decimals" THEN 'decimals' END,
			CASE WHEN NEW."required_schema" <> OLD."required_schema" THEN 'required_schema' END,
			CASE WHEN NEW."transfer_mode" <> OLD."transfer_mode" THEN 'transfer_mode' END,
			CASE WHEN NEW."rules" <> OLD."rules" THEN 'rules' END], NULL))), clock_timestamp());
	RETURN NULL;
END $$;

-- A wallet may be frozen for several lists: the first freezes it, and the last to let go unfreezes it.
CREATE OR REPLACE FUNCTION "stage_freeze"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM "screening_hits" WHERE "workspace_id" = NEW."workspace_id" AND "wallet" = NEW."wallet"
		AND "list" <> NEW."list" AND "frozen_at" IS NOT NULL) THEN
		INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
			CASE WHEN NEW."frozen_at" IS NULL THEN 'investor.unfrozen' ELSE 'investor.frozen' END,
			jsonb_build_object('user_pubkey', NEW."wallet", 'investor_id',
				(SELECT "investor_id" FROM "wallet_owner"(NEW."workspace_id", NEW."wallet"))), clock_timestamp());
	END IF;
	RETURN NULL;
END $$;

-- The row is new when a wallet is frozen, and old when it is unfrozen. Both events say why it was frozen.
CREATE OR REPLACE FUNCTION "stage_wallet_freeze"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	one "wallet_freezes";
BEGIN
	IF TG_OP = 'DELETE' THEN one := OLD; ELSE one := NEW; END IF;
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (one."workspace_id",
		CASE TG_OP WHEN 'DELETE' THEN 'wallet.unfrozen' ELSE 'wallet.frozen' END,
		jsonb_build_object('user_pubkey', one."wallet", 'mint_config', NULLIF(one."mint_config", '*'),
			'reason_code', one."reason_code", 'investor_id',
			(SELECT "investor_id" FROM "wallet_owner"(one."workspace_id", one."wallet"))), clock_timestamp());
	RETURN NULL;
END $$;

-- A hold that waits for the chain is created once it is active.
CREATE OR REPLACE FUNCTION "stage_hold"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		'hold.' || CASE NEW."state" WHEN 'active' THEN 'created' ELSE NEW."state" END,
		jsonb_build_object('hold_id', NEW."id", 'user_pubkey', NEW."wallet", 'mint_config', NEW."mint_config",
			'amount', NEW."amount"::text, 'reason_code', NEW."reason_code", 'operation_id', NEW."operation_id", 'investor_id',
			(SELECT "investor_id" FROM "wallet_owner"(NEW."workspace_id", NEW."wallet"))), clock_timestamp());
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_recovery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id", 'recovery.updated',
		jsonb_build_object('recovery_id', NEW."id", 'state', NEW."state", 'investor_id', NEW."investor_id",
			'user_pubkey', NEW."lost_wallet", 'new_wallet', NEW."new_wallet", 'error', NEW."error_code"), clock_timestamp());
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_snapshot"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id", 'snapshot.ready',
		jsonb_build_object('snapshot_id', NEW."id", 'mint_config', NEW."mint_config", 'holders', NEW."holders",
			'sha256', NEW."sha256"), clock_timestamp());
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_distribution"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		'distribution.updated', jsonb_build_object('distribution_id', NEW."id", 'mint_config', NEW."mint_config",
			'state', NEW."state", 'error', NEW."pause_code"), clock_timestamp());
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stage_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		CASE NEW."state" WHEN 'closed' THEN 'review.decided' ELSE 'review.opened' END,
		jsonb_build_object('review_id', NEW."id", 'kind', NEW."kind", 'attestation_id', NEW."attestation_id",
			'user_pubkey', NEW."wallet", 'investor_id', NEW."investor_id", 'ending', NEW."ending", 'decision',
			CASE NEW."ending" WHEN 'decided' THEN NEW."decision" END), clock_timestamp());
	RETURN NULL;
END $$;

-- A request is decided when it ends. An approved one says what came of it, which is written after its state.
CREATE OR REPLACE FUNCTION "stage_approval"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		CASE TG_OP WHEN 'INSERT' THEN 'approval.requested' ELSE 'approval.decided' END,
		jsonb_build_object('approval_id', NEW."id", 'action', NEW."action", 'state', NEW."state",
			'mint_config', NEW."request" -> 'mint_config', 'operation_id', NEW."operation_id",
			'error', NEW."outcome" -> 'error'), clock_timestamp());
	RETURN NULL;
END $$;
