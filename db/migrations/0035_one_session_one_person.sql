-- Whether the investor has begun a session: consented, signed with the wallet, or been reported on.
CREATE FUNCTION "has_begun"("session" "attestations") RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT "session"."consented_at" IS NOT NULL OR "session"."wallet_proved_at" IS NOT NULL OR "session"."event_at" IS NOT NULL
$$;--> statement-breakpoint
-- Whose session it is, as before (0033_erased_while_named.sql), but that one which its investor has begun stays theirs: what was or
-- will be found out about them is never another person's. Whoever calls ends it, and begins another one.
CREATE OR REPLACE FUNCTION "choose_investor"(
	in_workspace text, in_wallet text, in_external_id text, in_open_attestation text, in_new_id text, in_now timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	own "investors"%ROWTYPE;
	own_id text := coalesce(
		(SELECT "investor_id" FROM "attestations" WHERE "workspace_id" = in_workspace AND "id" = in_open_attestation),
		(SELECT "investor_id" FROM "attestations" WHERE "workspace_id" = in_workspace AND "wallet" = in_wallet
			ORDER BY "seq" DESC NULLS LAST LIMIT 1));
	named_id text;
	is_begun boolean;
BEGIN
	-- Locked in one order, and until the commit: nobody gives these two another name or session meanwhile.
	PERFORM FROM "investors" WHERE "workspace_id" = in_workspace AND ("id" = own_id OR "external_id" = in_external_id)
	ORDER BY "id" FOR NO KEY UPDATE;
	SELECT * INTO own FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = own_id;
	WHILE own."merged_into" IS NOT NULL LOOP
		SELECT * INTO own FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = own."merged_into" FOR NO KEY UPDATE;
	END LOOP;
	-- A session that has ended meanwhile, or is somebody else's by now, takes no name: whoever calls begins again, and finds that.
	IF in_open_attestation IS NOT NULL AND in_external_id IS NOT NULL THEN
		SELECT has_begun(a) INTO is_begun FROM "attestations" a WHERE "workspace_id" = in_workspace AND "id" = in_open_attestation
			AND "status" = 'pending' AND "investor_id" = own_id FOR NO KEY UPDATE;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'the session has changed' USING ERRCODE = '23505', CONSTRAINT = 'attestations_one_pending';
		END IF;
		IF is_begun AND own."external_id" <> in_external_id THEN
			RAISE EXCEPTION 'the session is of another person' USING ERRCODE = '23505', CONSTRAINT = 'attestations_one_person';
		END IF;
	END IF;
	-- Who was erased is forgotten: the wallet begins anew.
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
	IF own."id" IS NOT NULL AND (own."external_id" IS NULL OR (in_open_attestation IS NOT NULL AND NOT EXISTS (
		SELECT FROM "attestations"
		WHERE "workspace_id" = in_workspace AND "investor_id" = own."id" AND "id" <> in_open_attestation))) THEN
		IF named_id IS NULL THEN
			UPDATE "investors" SET "external_id" = in_external_id, "wallet" = NULL
			WHERE "workspace_id" = in_workspace AND "id" = own."id";
			RETURN own."id";
		END IF;
		UPDATE "investors" SET "merged_into" = named_id, "external_id" = NULL, "wallet" = NULL
		WHERE "workspace_id" = in_workspace AND ("id" = own."id" OR "merged_into" = own."id");
		-- The open session is updated by whoever calls.
		UPDATE "attestations" SET "investor_id" = named_id
		WHERE "workspace_id" = in_workspace AND "investor_id" = own."id" AND "id" IS DISTINCT FROM in_open_attestation;
		UPDATE "investor_notes" SET "investor_id" = named_id
		WHERE "workspace_id" = in_workspace AND "investor_id" = own."id";
		RETURN named_id;
	END IF;
	IF named_id IS NULL THEN
		INSERT INTO "investors" ("workspace_id", "id", "external_id", "created_at")
		VALUES (in_workspace, in_new_id, in_external_id, in_now)
		ON CONFLICT ("workspace_id", "external_id") WHERE "external_id" IS NOT NULL DO NOTHING;
		SELECT "id" INTO named_id FROM "investors" WHERE "workspace_id" = in_workspace AND "external_id" = in_external_id;
	END IF;
	RETURN named_id;
END $$;--> statement-breakpoint
DROP FUNCTION "is_another_person"(text, text, text);
