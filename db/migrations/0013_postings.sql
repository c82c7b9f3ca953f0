CREATE TABLE "holder_periods" (
	"workspace_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone,
	CONSTRAINT "holder_periods_workspace_id_mint_config_since_pk" PRIMARY KEY("workspace_id","mint_config","since")
);
--> statement-breakpoint
CREATE TABLE "postings" (
	"workspace_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"wallet" text NOT NULL,
	"seq" bigint NOT NULL,
	"delta" numeric(39, 0) DEFAULT '0' NOT NULL,
	"held_delta" numeric(39, 0) DEFAULT '0' NOT NULL,
	"balance" numeric(39, 0) DEFAULT '0' NOT NULL,
	"held" numeric(39, 0) DEFAULT '0' NOT NULL,
	"operation_id" text,
	"slot" bigint,
	"landed_at" timestamp with time zone,
	CONSTRAINT "postings_workspace_id_mint_config_wallet_seq_pk" PRIMARY KEY("workspace_id","mint_config","wallet","seq"),
	CONSTRAINT "postings_dated" CHECK ("postings"."slot" is null or "postings"."landed_at" is not null)
);
--> statement-breakpoint
-- Locks configurations before holdings, as a settlement does.
ALTER TABLE "holder_periods" ADD CONSTRAINT "holder_periods_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holdings" ADD COLUMN "posted" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- The history of every holding, from the operations in the books and in the archive. What has a transaction is dated later,
-- when a worker has read the times of the blocks.
INSERT INTO "postings" ("workspace_id", "mint_config", "wallet", "seq", "delta", "balance", "operation_id", "landed_at")
SELECT "workspace_id", "mint_config", "wallet", row_number() OVER "history", "delta", sum("delta") OVER "history", "id",
	CASE WHEN "signature" IS NULL AND "status" = 'confirmed' THEN "finished_at" END
FROM (
	SELECT o."workspace_id", o."mint_config", s."wallet", o."id", o."seq", o."signature", o."status", o."finished_at", s."delta"
	FROM "operations" o CROSS JOIN LATERAL (VALUES
		(o."wallet", (o."payload" ->> 'amount')::numeric),
		(o."from_wallet", -(o."payload" ->> 'amount')::numeric)) AS s("wallet", "delta")
	WHERE o."kind" IN ('mint', 'transfer', 'burn', 'force_transfer', 'move_hold') AND (o."status" = 'confirmed' OR o."redo")
		AND s."wallet" IS NOT NULL
) moved
WINDOW "history" AS (PARTITION BY "workspace_id", "mint_config", "wallet" ORDER BY "finished_at" NULLS LAST, "seq");
--> statement-breakpoint
-- What operations do not explain: what was held, and what holders moved themselves.
INSERT INTO "postings" ("workspace_id", "mint_config", "wallet", "seq", "delta", "held_delta", "balance", "held", "landed_at")
SELECT h."workspace_id", h."mint_config", h."wallet", coalesce(p."count", 0) + 1, h."balance" - coalesce(p."balance", 0), h."held",
	h."balance", h."held", now()
FROM "holdings" h LEFT JOIN (
	SELECT "workspace_id", "mint_config", "wallet", count(*) AS "count", sum("delta") AS "balance" FROM "postings" GROUP BY 1, 2, 3
) p USING ("workspace_id", "mint_config", "wallet")
WHERE h."balance" <> coalesce(p."balance", 0) OR h."held" <> 0;
--> statement-breakpoint
UPDATE "holdings" h SET "posted" = p."count" FROM (
	SELECT "workspace_id", "mint_config", "wallet", count(*) AS "count" FROM "postings" GROUP BY 1, 2, 3) p
WHERE h."workspace_id" = p."workspace_id" AND h."mint_config" = p."mint_config" AND h."wallet" = p."wallet";
--> statement-breakpoint
-- When a token was in holder mode is not recorded, so at worst always. If balances have been read back, they are right now.
INSERT INTO "holder_periods" ("workspace_id", "mint_config", "since", "until")
SELECT c."workspace_id", c."id", c."created_at",
	CASE WHEN c."transfer_mode" = 'agent' AND c."counted_up_to" IS NULL AND c."next_transfer_mode" IS NULL THEN now() END
FROM "mint_configs" c
WHERE c."transfer_mode" = 'holder' OR EXISTS (SELECT FROM "operations" o
	WHERE o."workspace_id" = c."workspace_id" AND o."mint_config" = c."id" AND o."kind" = 'align_account');
--> statement-breakpoint
CREATE INDEX "postings_undated" ON "postings" USING btree ("workspace_id","operation_id") WHERE landed_at is null;
