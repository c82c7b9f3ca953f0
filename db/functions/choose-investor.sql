-- The person a session belongs to. `server/domain/kyc/begin.ts` calls choose_investor at each start.

-- Whether a session has begun: its person consented or signed with the wallet, or the provider sent an event.
CREATE OR REPLACE FUNCTION "has_begun"("session" "attestations") RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT "session"."consented_at" IS NOT NULL OR "session"."wallet_proved_at" IS NOT NULL OR "session"."event_at" IS NOT NULL
$$;

-- Whether an investor has begun any session. One who has not is only a name, which may still be corrected.
CREATE OR REPLACE FUNCTION "investor_has_begun"(in_workspace text, in_investor text) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM "attestations" a
		WHERE a."workspace_id" = in_workspace AND a."investor_id" = in_investor AND "has_begun"(a))
$$;

-- Makes one investor part of another, who is the same person, with everything but a session that the caller updates itself.
-- Does nothing if both have an open session of the same wallet and schema: each is decided by itself.
CREATE OR REPLACE FUNCTION "merge_investors"(in_workspace text, in_from text, in_into text, in_but_attestation text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM "attestations" f JOIN "attestations" i USING ("workspace_id", "wallet", "schema_id", "status")
		WHERE f."workspace_id" = in_workspace AND f."investor_id" = in_from AND i."investor_id" = in_into
			AND f."status" = 'pending') THEN
		RETURN false;
	END IF;
	UPDATE "investors" SET "merged_into" = in_into, "external_id" = NULL, "wallet" = NULL
	WHERE "workspace_id" = in_workspace AND ("id" = in_from OR "merged_into" = in_from);
	UPDATE "attestations" SET "investor_id" = in_into
	WHERE "workspace_id" = in_workspace AND "investor_id" = in_from AND "id" IS DISTINCT FROM in_but_attestation;
	UPDATE "investor_notes" SET "investor_id" = in_into
	WHERE "workspace_id" = in_workspace AND "investor_id" = in_from;
	RETURN true;
END $$;

-- The person of the session that a start begins, or finds open (`in_open_attestation`). A start takes nothing from anyone: a
-- person who has begun a session keeps it, the wallet and what was verified. Only an investor without an external id who has
-- begun nothing takes the first name that a start brings.
CREATE OR REPLACE FUNCTION "choose_investor"(
	in_workspace text, in_wallet text, in_external_id text, in_open_attestation text, in_new_id text, in_now timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	own "investors"%ROWTYPE;
	own_id text := CASE WHEN in_open_attestation IS NULL
		THEN (SELECT "investor_id" FROM "investor_of_wallet"(in_workspace, in_wallet))
		ELSE (SELECT "investor_id" FROM "attestations" WHERE "workspace_id" = in_workspace AND "id" = in_open_attestation) END;
	named_id text;
BEGIN
	-- Locked in one order, and until the commit, so that no other start renames or merges them.
	PERFORM FROM "investors" WHERE "workspace_id" = in_workspace AND ("id" = own_id OR "external_id" = in_external_id)
	ORDER BY "id" FOR NO KEY UPDATE;
	SELECT * INTO own FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = own_id;
	WHILE own."merged_into" IS NOT NULL LOOP
		SELECT * INTO own FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = own."merged_into" FOR NO KEY UPDATE;
	END LOOP;
	IF in_open_attestation IS NOT NULL AND in_external_id IS NOT NULL THEN
		PERFORM FROM "attestations" WHERE "workspace_id" = in_workspace AND "id" = in_open_attestation
			AND "status" = 'pending' AND "investor_id" = own_id FOR NO KEY UPDATE;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'the session has changed' USING ERRCODE = '23505', CONSTRAINT = 'attestations_one_pending';
		END IF;
	END IF;
	-- An erased person is forgotten: the wallet begins again.
	IF own."erased_at" IS NOT NULL THEN
		own := NULL;
	END IF;
	IF in_external_id IS NULL THEN
		IF own."id" IS NOT NULL THEN
			RETURN own."id";
		END IF;
		INSERT INTO "investors" ("workspace_id", "id", "wallet", "created_at")
		VALUES (in_workspace, in_new_id, in_wallet, in_now)
		ON CONFLICT ("workspace_id", "wallet") WHERE "external_id" IS NULL AND "merged_into" IS NULL DO NOTHING;
		RETURN (SELECT "id" FROM "investors" WHERE "workspace_id" = in_workspace AND "wallet" = in_wallet
			AND "external_id" IS NULL AND "merged_into" IS NULL);
	END IF;
	SELECT "id" INTO named_id FROM "investors" WHERE "workspace_id" = in_workspace AND "external_id" = in_external_id;
	IF named_id = own."id" THEN
		RETURN named_id;
	END IF;
	IF own."id" IS NOT NULL AND own."external_id" IS NULL AND NOT "investor_has_begun"(in_workspace, own."id") THEN
		IF named_id IS NULL THEN
			UPDATE "investors" SET "external_id" = in_external_id, "wallet" = NULL
			WHERE "workspace_id" = in_workspace AND "id" = own."id"
			RETURNING "id" INTO named_id;
		ELSIF NOT "merge_investors"(in_workspace, own."id", named_id, in_open_attestation) THEN
			named_id := NULL;
		END IF;
		IF named_id IS NOT NULL THEN
			RETURN named_id;
		END IF;
	END IF;
	-- The session has been begun, named or ended since the caller read it: the caller starts again, and finds that.
	IF in_open_attestation IS NOT NULL THEN
		RAISE EXCEPTION 'the session has changed' USING ERRCODE = '23505', CONSTRAINT = 'attestations_one_pending';
	END IF;
	INSERT INTO "investors" ("workspace_id", "id", "external_id", "created_at")
	VALUES (in_workspace, in_new_id, in_external_id, in_now)
	ON CONFLICT ("workspace_id", "external_id") WHERE "external_id" IS NOT NULL DO NOTHING;
	RETURN (SELECT "id" FROM "investors" WHERE "workspace_id" = in_workspace AND "external_id" = in_external_id);
END $$;

-- An id like the server's, of 88 random bits.
CREATE OR REPLACE FUNCTION "new_investor_id"() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT 'inv_' || left(translate(md5(gen_random_uuid()::text), '0', 'z'), 22)
$$;

-- The investor of a row that is inserted without one.
CREATE OR REPLACE FUNCTION "attestations_investor"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."investor_id" := "choose_investor"(NEW."workspace_id", NEW."wallet", NEW."external_id", NULL, "new_investor_id"(),
		NEW."created_at");
	RETURN NEW;
END $$;
