-- Keeps a wallet's lots equal to its balance if that changes without them: by version 0.1.0, or by a count of what
-- holders moved themselves. What is new is a lot of today without an exemption. What is gone is taken from the oldest.
CREATE OR REPLACE FUNCTION "follow_balance"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	"missing" numeric := greatest(NEW."balance", 0) - NEW."lotted";
BEGIN
	IF "missing" > 0 THEN
		INSERT INTO "lots" ("workspace_id", "id", "mint_config", "wallet", "units", "acquired_at", "exemption")
		VALUES (NEW."workspace_id", 'lot_' || translate(left(md5(gen_random_uuid()::text), 22), '0', 'g'),
			NEW."mint_config", NEW."wallet", "missing",
			date_trunc('milliseconds', now()), 'none');
	ELSE
		WITH "oldest" AS (
			SELECT "id", "units", sum("units") OVER (ORDER BY "acquired_at", "seq") AS "up_to" FROM "lots"
			WHERE "workspace_id" = NEW."workspace_id" AND "mint_config" = NEW."mint_config" AND "wallet" = NEW."wallet"
		), "taken" AS (
			SELECT "id", "up_to" + "missing" AS "left" FROM "oldest" WHERE "up_to" - "units" < -"missing"
		), "gone" AS (
			DELETE FROM "lots" l USING "taken" t
			WHERE l."workspace_id" = NEW."workspace_id" AND l."id" = t."id" AND t."left" <= 0
		)
		UPDATE "lots" l SET "units" = t."left" FROM "taken" t
		WHERE l."workspace_id" = NEW."workspace_id" AND l."id" = t."id" AND t."left" > 0;
	END IF;
	NEW."lotted" := greatest(NEW."balance", 0);
	RETURN NEW;
END $$;
