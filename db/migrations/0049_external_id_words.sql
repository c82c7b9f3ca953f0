-- A trusted extension: the owner of the database may create it. If the host lacks or forbids it, the search works without
-- the index.
DO $$
BEGIN
	CREATE EXTENSION IF NOT EXISTS "pg_trgm";
	CREATE INDEX "investors_external_id_words" ON "investors" USING gin (lower(external_id) gin_trgm_ops) WHERE external_id is not null;
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE 'No index for the search by words of external ids: %', SQLERRM;
END $$;
