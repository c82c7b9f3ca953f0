DROP INDEX "attestations_one_pending";--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "approved_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "attestations_wallet_owner" ON "attestations" USING btree ("workspace_id","wallet",greatest(wallet_proved_at, issued_at, approved_at) desc nulls last,"seq" DESC NULLS LAST) WHERE wallet_proved_at is not null or issued_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "attestations_one_pending" ON "attestations" USING btree ("workspace_id","wallet","schema_id","investor_id") WHERE status = 'pending';--> statement-breakpoint
-- Whose wallet it is: the person for whom it was last proven or approved. Until then it is the first who named it, so that
-- starting a session moves nothing. One row; null for a wallet that no session has named.
CREATE FUNCTION "wallet_owner"(in_workspace text, in_wallet text) RETURNS TABLE ("investor_id" text) LANGUAGE sql STABLE AS $$
	SELECT coalesce(
		(SELECT a."investor_id" FROM "attestations" a WHERE a."workspace_id" = in_workspace AND a."wallet" = in_wallet
			AND (a."wallet_proved_at" IS NOT NULL OR a."issued_at" IS NOT NULL)
			ORDER BY greatest(a."wallet_proved_at", a."issued_at", a."approved_at") DESC NULLS LAST, a."seq" DESC NULLS LAST LIMIT 1),
		(SELECT a."investor_id" FROM "attestations" a WHERE a."workspace_id" = in_workspace AND a."wallet" = in_wallet
			ORDER BY a."seq" NULLS FIRST LIMIT 1))
$$;--> statement-breakpoint
-- Whom a wallet stands for when it is named alone: its owner or, once that person was erased, the first who has named it
-- and was not. Null where there is no such person.
CREATE FUNCTION "investor_of_wallet"(in_workspace text, in_wallet text) RETURNS TABLE ("investor_id" text) LANGUAGE sql STABLE AS $$
	SELECT coalesce(
		(SELECT i."id" FROM "wallet_owner"(in_workspace, in_wallet) o
			JOIN "investors" i ON i."workspace_id" = in_workspace AND i."id" = o."investor_id" WHERE i."erased_at" IS NULL),
		(SELECT a."investor_id" FROM "attestations" a WHERE a."workspace_id" = in_workspace AND a."wallet" = in_wallet
			AND a."erased_at" IS NULL ORDER BY a."seq" NULLS FIRST LIMIT 1))
$$;--> statement-breakpoint
-- Whether an investor has begun any session. One who has not is a name and nothing more, which may still be corrected.
CREATE FUNCTION "investor_has_begun"(in_workspace text, in_investor text) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM "attestations" a
		WHERE a."workspace_id" = in_workspace AND a."investor_id" = in_investor AND "has_begun"(a))
$$;--> statement-breakpoint
-- Makes one investor part of another, who is the same person, with everything but a session that the caller updates itself.
-- Does nothing where both have an open session of the same wallet and schema: each is decided by itself.
CREATE FUNCTION "merge_investors"(in_workspace text, in_from text, in_into text, in_but_attestation text) RETURNS boolean
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
END $$;--> statement-breakpoint
-- Whose session it is that a start begins, or finds open (`in_open_attestation`). A start takes nothing from anyone: a person
-- who has begun a session keeps it, the wallet and what was verified. Only an investor without an external id who has begun
-- nothing takes the first name that a start brings.
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
END $$;--> statement-breakpoint
-- The last release, which may still run beside this one, names no investor, and gives an open session another external id.
-- A session that has a name, or that its person has begun, keeps it.
CREATE OR REPLACE FUNCTION "attestations_investor"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."investor_id" := "choose_investor"(NEW."workspace_id", NEW."wallet", NEW."external_id",
		CASE TG_OP WHEN 'UPDATE' THEN NEW."id" END, "new_investor_id"(), NEW."created_at");
	RETURN NEW;
EXCEPTION WHEN unique_violation THEN
	IF TG_OP = 'INSERT' THEN
		RAISE;
	END IF;
	NEW."external_id" := OLD."external_id";
	RETURN NEW;
END $$;--> statement-breakpoint
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
