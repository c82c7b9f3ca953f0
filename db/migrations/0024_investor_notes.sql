CREATE TABLE "investor_notes" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "investor_notes_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"investor_id" text NOT NULL,
	"body" "bytea" NOT NULL,
	"author_id" text NOT NULL,
	"author_name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"edited_at" timestamp with time zone,
	CONSTRAINT "investor_notes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "investor_notes" ADD CONSTRAINT "investor_notes_workspace_id_investor_id_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","investor_id") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "investor_notes_newest" ON "investor_notes" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_schema_status" ON "attestations" USING btree ("workspace_id","schema_id","status","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "investors_merged" ON "investors" USING btree ("workspace_id","merged_into") WHERE merged_into is not null;--> statement-breakpoint
-- Whose session it is: whoever the external id names, else whoever the wallet is known to belong to. A first external id
-- names the investor, or says that it is one whom that id already names: then the two become one. An investor with an
-- id takes another only where nothing but this open session is known of them: it was corrected.
--
-- A function, because each of its statements sees what was committed before it and not before the statement that calls
-- it: what two starts at once have found out about one person counts for the second of them.
CREATE FUNCTION "choose_investor"(
	in_workspace text, in_wallet text, in_external_id text, in_open_attestation text, in_new_id text, in_now timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	own "investors"%ROWTYPE;
	own_id text := coalesce(
		(SELECT "investor_id" FROM "attestations" WHERE "workspace_id" = in_workspace AND "id" = in_open_attestation),
		(SELECT "investor_id" FROM "attestations" WHERE "workspace_id" = in_workspace AND "wallet" = in_wallet
			ORDER BY "seq" DESC NULLS LAST LIMIT 1));
	named_id text;
BEGIN
	-- Locked in one order, and until the commit: nobody gives these two another name or session meanwhile.
	PERFORM FROM "investors" WHERE "workspace_id" = in_workspace AND ("id" = own_id OR "external_id" = in_external_id)
	ORDER BY "id" FOR NO KEY UPDATE;
	SELECT * INTO own FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = own_id;
	WHILE own."merged_into" IS NOT NULL LOOP
		SELECT * INTO own FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = own."merged_into" FOR NO KEY UPDATE;
	END LOOP;
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
-- The version before, which may still run beside this one, names no investor, and leaves the one of a session that gets
-- another external id.
CREATE OR REPLACE FUNCTION "attestations_investor"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."investor_id" := "choose_investor"(NEW."workspace_id", NEW."wallet", NEW."external_id",
		CASE TG_OP WHEN 'UPDATE' THEN NEW."id" END, "new_investor_id"(), NEW."created_at");
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "attestations_renamed_investor" BEFORE UPDATE OF "external_id" ON "attestations"
FOR EACH ROW WHEN (NEW."external_id" IS DISTINCT FROM OLD."external_id" AND NEW."external_id" IS NOT NULL
	AND NEW."investor_id" = OLD."investor_id") EXECUTE FUNCTION "attestations_investor"();
