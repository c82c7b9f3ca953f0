CREATE TABLE "event_counters" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"last" bigint DEFAULT 0 NOT NULL,
	"dropped" bigint DEFAULT 0 NOT NULL,
	"quota_period" text,
	"quota_percent" integer
);
--> statement-breakpoint
CREATE TABLE "events" (
	"workspace_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	CONSTRAINT "events_workspace_id_sequence_pk" PRIMARY KEY("workspace_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "expiry_notices" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"days" smallint NOT NULL,
	CONSTRAINT "expiry_notices_workspace_id_attestation_id_days_pk" PRIMARY KEY("workspace_id","attestation_id","days")
);
--> statement-breakpoint
CREATE TABLE "staged_events" (
	"workspace_id" text NOT NULL,
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "staged_events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "event_counters" ADD CONSTRAINT "event_counters_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "expiry_notices" ADD CONSTRAINT "expiry_notices_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_id" ON "events" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "events_type" ON "events" USING btree ("workspace_id","type","sequence");--> statement-breakpoint
CREATE INDEX "events_occurred" ON "events" USING brin ("occurred_at");--> statement-breakpoint
-- What follows stages an event with each change that workspaces are told of, in the transaction of the change. `data` is what
-- identifies its subject and nothing personal: it is kept while the subject may be erased. Amounts are in base units here.
CREATE FUNCTION "event_time"(in_time timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT to_char(in_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;--> statement-breakpoint
CREATE FUNCTION "stage_session_opened"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id", 'session.opened',
		jsonb_build_object('attestation_id', NEW."id", 'user_pubkey', NEW."wallet", 'schema', NEW."schema_id",
			'investor_id', NEW."investor_id"), clock_timestamp());
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "events_of_new_attestations" AFTER INSERT ON "attestations"
FOR EACH ROW EXECUTE FUNCTION "stage_session_opened"();--> statement-breakpoint
CREATE FUNCTION "stage_attestation_change"() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;--> statement-breakpoint
CREATE TRIGGER "events_of_attestations" AFTER UPDATE ON "attestations"
FOR EACH ROW WHEN (NEW."status" <> OLD."status" OR (OLD."event_at" IS NULL AND NEW."event_at" IS NOT NULL))
EXECUTE FUNCTION "stage_attestation_change"();--> statement-breakpoint
CREATE FUNCTION "stage_operation_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		'operation.' || NEW."status", jsonb_build_object('operation_id', NEW."id", 'kind', NEW."kind",
			'mint_config', NEW."mint_config", 'user_pubkey', NEW."wallet", 'from_pubkey', NEW."from_wallet",
			'amount', NEW."payload" ->> 'amount', 'onchain_tx', CASE NEW."status" WHEN 'confirmed' THEN NEW."signature" END,
			'error', NEW."error_code"), clock_timestamp());
	RETURN NULL;
END $$;--> statement-breakpoint
-- What is done again, because its slot vanished, has been told.
CREATE TRIGGER "events_of_operations" AFTER UPDATE ON "operations"
FOR EACH ROW WHEN (NEW."status" <> OLD."status" AND NEW."status" IN ('confirmed', 'failed')
	AND NEW."kind" IN ('mint', 'transfer') AND NOT OLD."redo")
EXECUTE FUNCTION "stage_operation_end"();--> statement-breakpoint
CREATE FUNCTION "stage_pause"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		CASE WHEN NEW."paused" THEN 'token.paused' ELSE 'token.resumed' END,
		jsonb_build_object('mint_config', NEW."id", 'symbol', NEW."symbol"), clock_timestamp());
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "events_of_mint_configs" AFTER UPDATE ON "mint_configs"
FOR EACH ROW WHEN (NEW."paused" <> OLD."paused") EXECUTE FUNCTION "stage_pause"();--> statement-breakpoint
-- A wallet may be frozen for several lists: the first freezes it, and the last to let go unfreezes it.
CREATE FUNCTION "stage_freeze"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM "screening_hits" WHERE "workspace_id" = NEW."workspace_id" AND "wallet" = NEW."wallet"
		AND "list" <> NEW."list" AND "frozen_at" IS NOT NULL) THEN
		INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
			CASE WHEN NEW."frozen_at" IS NULL THEN 'investor.unfrozen' ELSE 'investor.frozen' END,
			jsonb_build_object('user_pubkey', NEW."wallet", 'investor_id', (SELECT "investor_id" FROM "attestations"
				WHERE "workspace_id" = NEW."workspace_id" AND "wallet" = NEW."wallet" ORDER BY "seq" DESC NULLS LAST LIMIT 1)),
			clock_timestamp());
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "events_of_new_screening_hits" AFTER INSERT ON "screening_hits"
FOR EACH ROW WHEN (NEW."frozen_at" IS NOT NULL) EXECUTE FUNCTION "stage_freeze"();--> statement-breakpoint
CREATE TRIGGER "events_of_screening_hits" AFTER UPDATE ON "screening_hits"
FOR EACH ROW WHEN ((NEW."frozen_at" IS NULL) <> (OLD."frozen_at" IS NULL)) EXECUTE FUNCTION "stage_freeze"();--> statement-breakpoint
CREATE FUNCTION "stage_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "staged_events" ("workspace_id", "type", "data", "occurred_at") VALUES (NEW."workspace_id",
		CASE NEW."state" WHEN 'closed' THEN 'review.decided' ELSE 'review.opened' END,
		jsonb_build_object('review_id', NEW."id", 'kind', NEW."kind", 'attestation_id', NEW."attestation_id",
			'user_pubkey', NEW."wallet", 'investor_id', NEW."investor_id", 'ending', NEW."ending", 'decision',
			CASE NEW."ending" WHEN 'decided' THEN NEW."decision" END), clock_timestamp());
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "events_of_new_reviews" AFTER INSERT ON "reviews"
FOR EACH ROW EXECUTE FUNCTION "stage_review"();--> statement-breakpoint
CREATE TRIGGER "events_of_reviews" AFTER UPDATE ON "reviews"
FOR EACH ROW WHEN (NEW."state" = 'closed' AND OLD."state" <> 'closed') EXECUTE FUNCTION "stage_review"();
