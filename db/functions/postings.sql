-- The books of a token: each change of a balance or of what is held is a posting. The application posts what operations do.
-- The trigger that calls post_holding posts every other change, those of a previous version included.

CREATE OR REPLACE FUNCTION "post_holding"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	before_balance numeric := 0;
	before_held numeric := 0;
BEGIN
	IF TG_OP = 'UPDATE' THEN
		before_balance := OLD."balance";
		before_held := OLD."held";
	END IF;
	NEW."posted" := NEW."posted" + 1;
	INSERT INTO "postings" ("workspace_id", "mint_config", "wallet", "seq", "delta", "held_delta", "balance", "held", "landed_at")
	VALUES (NEW."workspace_id", NEW."mint_config", NEW."wallet", NEW."posted", NEW."balance" - before_balance,
		NEW."held" - before_held, NEW."balance", NEW."held",
		-- Not now(): the transaction may have waited for a lock since then, and earlier moments are final.
		statement_timestamp());
	RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "refuse_posting_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'postings are append-only';
END $$;

-- From when holders can move a token themselves until its balances have been read back from the chain.
CREATE OR REPLACE FUNCTION "note_holder_period"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."transfer_mode" = 'holder' THEN
		INSERT INTO "holder_periods" ("workspace_id", "mint_config", "since")
		SELECT NEW."workspace_id", NEW."id", now() WHERE NOT EXISTS (SELECT FROM "holder_periods" p
			WHERE p."workspace_id" = NEW."workspace_id" AND p."mint_config" = NEW."id" AND p."until" IS NULL)
		ON CONFLICT DO NOTHING;
	ELSE
		UPDATE "holder_periods" SET "until" = statement_timestamp()
		WHERE "workspace_id" = NEW."workspace_id" AND "mint_config" = NEW."id" AND "until" IS NULL;
	END IF;
	RETURN NULL;
END $$;
