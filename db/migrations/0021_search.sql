CREATE INDEX "reviews_subject" ON "reviews" USING btree ("workspace_id","subject");--> statement-breakpoint
-- The index for the search by words of external ids, if it could not be made before. A host may have pg_trgm in a schema of
-- its own. If the host lacks or forbids it, the search works without the index.
DO $$
DECLARE
	place text;
BEGIN
	CREATE EXTENSION IF NOT EXISTS "pg_trgm";
	SELECT extnamespace::regnamespace::text INTO place FROM pg_extension WHERE extname = 'pg_trgm';
	EXECUTE format('CREATE INDEX IF NOT EXISTS "investors_external_id_words" ON "investors" USING gin (lower(external_id) %s.gin_trgm_ops) WHERE external_id is not null', place);
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE 'No index for the search by words of external ids: %', SQLERRM;
END $$;
