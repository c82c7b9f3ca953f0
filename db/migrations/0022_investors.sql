CREATE TABLE "investors" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "investors_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"external_id" text,
	"wallet" text,
	"merged_into" text,
	"created_at" timestamp with time zone NOT NULL,
	"erased_at" timestamp with time zone,
	CONSTRAINT "investors_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "investor_id" text;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "ask_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "asks" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "investors" ADD CONSTRAINT "investors_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "investors" ADD CONSTRAINT "investors_workspace_id_merged_into_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","merged_into") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "investors_external_id" ON "investors" USING btree ("workspace_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "investors_one_of_wallet" ON "investors" USING btree ("workspace_id","wallet") WHERE external_id is null and merged_into is null;--> statement-breakpoint
CREATE INDEX "investors_newest" ON "investors" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE merged_into is null;--> statement-breakpoint
-- An id as the server makes them, of 88 random bits.
CREATE FUNCTION "new_investor_id"() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT 'inv_' || left(translate(md5(gen_random_uuid()::text), '0', 'z'), 22)
$$;--> statement-breakpoint
-- What exists: the customer's id names the person; a wallet that ever had one belongs to the last of them, any other
-- wallet is a person of its own.
INSERT INTO "investors" ("workspace_id", "id", "external_id", "created_at")
SELECT "workspace_id", "new_investor_id"(), "external_id", min("created_at")
FROM "attestations" WHERE "external_id" IS NOT NULL GROUP BY "workspace_id", "external_id" ORDER BY min("seq");--> statement-breakpoint
INSERT INTO "investors" ("workspace_id", "id", "wallet", "created_at")
SELECT "workspace_id", "new_investor_id"(), "wallet", min("created_at")
FROM "attestations" GROUP BY "workspace_id", "wallet" HAVING count("external_id") = 0 ORDER BY min("seq");--> statement-breakpoint
WITH "last_id" AS (
	SELECT DISTINCT ON ("workspace_id", "wallet") "workspace_id", "wallet", "external_id" FROM "attestations"
	WHERE "external_id" IS NOT NULL ORDER BY "workspace_id", "wallet", "seq" DESC
), "owner" AS (
	SELECT a."workspace_id", a."id", coalesce(n."id", o."id") AS "investor_id"
	FROM "attestations" a
	LEFT JOIN "last_id" l ON l."workspace_id" = a."workspace_id" AND l."wallet" = a."wallet"
	LEFT JOIN "investors" n ON n."workspace_id" = a."workspace_id" AND n."external_id" = coalesce(a."external_id", l."external_id")
	LEFT JOIN "investors" o ON o."workspace_id" = a."workspace_id" AND o."wallet" = a."wallet" AND o."external_id" IS NULL
)
UPDATE "attestations" a SET "investor_id" = o."investor_id" FROM "owner" o
WHERE a."workspace_id" = o."workspace_id" AND a."id" = o."id";--> statement-breakpoint
ALTER TABLE "attestations" ALTER COLUMN "investor_id" SET NOT NULL;--> statement-breakpoint
-- The version before this one, which may still run beside it, names no investor.
CREATE FUNCTION "attestations_investor"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."external_id" IS NOT NULL THEN
		INSERT INTO "investors" ("workspace_id", "id", "external_id", "created_at")
		VALUES (NEW."workspace_id", "new_investor_id"(), NEW."external_id", NEW."created_at")
		ON CONFLICT ("workspace_id", "external_id") WHERE "external_id" IS NOT NULL DO NOTHING;
		SELECT "id" INTO NEW."investor_id" FROM "investors"
		WHERE "workspace_id" = NEW."workspace_id" AND "external_id" = NEW."external_id";
	ELSE
		SELECT "investor_id" INTO NEW."investor_id" FROM "attestations"
		WHERE "workspace_id" = NEW."workspace_id" AND "wallet" = NEW."wallet" ORDER BY "seq" DESC NULLS LAST LIMIT 1;
		IF NOT FOUND THEN
			INSERT INTO "investors" ("workspace_id", "id", "wallet", "created_at")
			VALUES (NEW."workspace_id", "new_investor_id"(), NEW."wallet", NEW."created_at")
			ON CONFLICT ("workspace_id", "wallet") WHERE "external_id" IS NULL AND "merged_into" IS NULL DO NOTHING;
			SELECT "id" INTO NEW."investor_id" FROM "investors"
			WHERE "workspace_id" = NEW."workspace_id" AND "wallet" = NEW."wallet"
				AND "external_id" IS NULL AND "merged_into" IS NULL;
		END IF;
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "attestations_investor" BEFORE INSERT ON "attestations"
FOR EACH ROW WHEN (NEW."investor_id" IS NULL) EXECUTE FUNCTION "attestations_investor"();--> statement-breakpoint
ALTER TABLE "attestations" ADD CONSTRAINT "attestations_workspace_id_investor_id_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","investor_id") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attestations_investor" ON "attestations" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_provider_reference" ON "attestations" USING btree ("provider","provider_reference") WHERE provider_reference is not null;--> statement-breakpoint
CREATE INDEX "attestations_ask" ON "attestations" USING btree ("ask_at") WHERE status = 'pending' and ask_at is not null;