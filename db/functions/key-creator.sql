-- Version 0.1.0 does not write who created a key, only who saw its secret. The first secret's is the creator.
CREATE OR REPLACE FUNCTION "note_key_creator"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "api_keys" SET "created_by" = NEW."shown_to"
	WHERE "workspace_id" = NEW."workspace_id" AND "id" = NEW."key_id" AND "created_by" IS NULL
		AND NOT EXISTS (SELECT FROM "key_secrets" s
			WHERE s."workspace_id" = NEW."workspace_id" AND s."key_id" = NEW."key_id" AND s."hash" <> NEW."hash");
	RETURN NULL;
END $$;
