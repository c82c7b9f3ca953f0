-- Names the fields of a mint configuration that have changed. Counters change with each mint: they fire nothing.
CREATE FUNCTION "stage_config_change"() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;--> statement-breakpoint
CREATE TRIGGER "events_of_config_changes"
AFTER UPDATE OF "name", "symbol", "decimals", "required_schema", "transfer_mode", "rules" ON "mint_configs"
FOR EACH ROW WHEN ((OLD."name", OLD."symbol", OLD."decimals", OLD."required_schema", OLD."transfer_mode", OLD."rules")
	IS DISTINCT FROM (NEW."name", NEW."symbol", NEW."decimals", NEW."required_schema", NEW."transfer_mode", NEW."rules"))
EXECUTE FUNCTION "stage_config_change"();
