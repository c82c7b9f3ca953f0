CREATE TABLE "lots" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "lots_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"mint_config" text NOT NULL,
	"wallet" text NOT NULL,
	"units" numeric(39, 0) DEFAULT '0' NOT NULL,
	"acquired_at" timestamp with time zone,
	"exemption" text NOT NULL,
	"parent" text,
	"operation_id" text,
	CONSTRAINT "lots_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "lots_units" CHECK ("lots"."units" > 0)
);
--> statement-breakpoint
ALTER TABLE "holdings" ADD COLUMN "lotted" numeric(39, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "lots" ADD CONSTRAINT "lots_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lots_oldest" ON "lots" USING btree ("workspace_id","mint_config","wallet","acquired_at","seq");--> statement-breakpoint
-- What wallets hold becomes lots, as if each transfer had taken the oldest units first: the newest operations that brought
-- in as much as the balance, each with its own date. The exemption was not recorded.
WITH "incoming" AS (
	SELECT "workspace_id", "mint_config", "wallet", "id", date_trunc('milliseconds', coalesce("finished_at", "created_at")) AS "at",
		("payload" ->> 'amount')::numeric AS "amount", sum(("payload" ->> 'amount')::numeric) OVER (
			PARTITION BY "workspace_id", "mint_config", "wallet"
			ORDER BY coalesce("finished_at", "created_at") DESC, "seq" DESC) AS "up_to"
	FROM "operations"
	WHERE "kind" IN ('mint', 'transfer', 'force_transfer', 'move_hold') AND ("status" = 'confirmed' OR "redo")
		AND "wallet" IS NOT NULL
)
INSERT INTO "lots" ("workspace_id", "id", "mint_config", "wallet", "units", "acquired_at", "exemption", "operation_id")
SELECT h."workspace_id", 'lot_' || translate(left(md5(h."workspace_id" || i."id"), 22), '0', 'g'), h."mint_config",
	h."wallet", least(i."amount", h."balance" - i."up_to" + i."amount"), i."at", 'none', i."id"
FROM "holdings" h JOIN "incoming" i ON i."workspace_id" = h."workspace_id" AND i."mint_config" = h."mint_config"
	AND i."wallet" = h."wallet" AND h."balance" > i."up_to" - i."amount"
ORDER BY i."at";--> statement-breakpoint
-- The rest came in past Vouch, in holder mode. Its date is that of the oldest operation known of the wallet.
INSERT INTO "lots" ("workspace_id", "id", "mint_config", "wallet", "units", "acquired_at", "exemption")
SELECT h."workspace_id", 'lot_' || translate(left(md5(h."workspace_id" || h."mint_config" || h."wallet"), 22), '0', 'g'),
	h."mint_config", h."wallet", h."balance" - l."units", (
		SELECT date_trunc('milliseconds', min(coalesce("finished_at", "created_at"))) FROM "operations" o
		WHERE o."workspace_id" = h."workspace_id" AND o."mint_config" = h."mint_config"
			AND (o."status" = 'confirmed' OR o."redo") AND h."wallet" IN (o."wallet", o."from_wallet")), 'none'
FROM "holdings" h CROSS JOIN LATERAL (
	SELECT coalesce(sum("units"), 0) AS "units" FROM "lots" l
	WHERE l."workspace_id" = h."workspace_id" AND l."mint_config" = h."mint_config" AND l."wallet" = h."wallet") l
WHERE h."balance" > l."units";--> statement-breakpoint
UPDATE "holdings" SET "lotted" = "balance" WHERE "balance" > 0;
