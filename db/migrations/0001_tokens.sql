CREATE TABLE "holdings" (
	"workspace_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"wallet" text NOT NULL,
	"balance" numeric(39, 0) DEFAULT '0' NOT NULL,
	"incoming" numeric(39, 0) DEFAULT '0' NOT NULL,
	"outgoing" numeric(39, 0) DEFAULT '0' NOT NULL,
	"counted" boolean DEFAULT false NOT NULL,
	CONSTRAINT "holdings_workspace_id_mint_config_wallet_pk" PRIMARY KEY("workspace_id","mint_config","wallet"),
	CONSTRAINT "holdings_in_flight" CHECK ("holdings"."incoming" >= 0 and "holdings"."outgoing" >= 0)
);
--> statement-breakpoint
CREATE TABLE "mint_configs" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"symbol" text NOT NULL,
	"decimals" smallint NOT NULL,
	"required_schema" text NOT NULL,
	"transfer_mode" text NOT NULL,
	"rules" jsonb NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"mint" text,
	"pausable" boolean DEFAULT false NOT NULL,
	"minted_at" timestamp with time zone,
	"issued" numeric(39, 0) DEFAULT '0' NOT NULL,
	"supply" numeric(39, 0) DEFAULT '0' NOT NULL,
	"holders" integer DEFAULT 0 NOT NULL,
	"aligned_up_to" text,
	"counted_up_to" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "mint_configs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "mint_configs_decimals" CHECK ("mint_configs"."decimals" between 0 and 9),
	CONSTRAINT "mint_configs_transfer_mode" CHECK ("mint_configs"."transfer_mode" in ('agent', 'holder')),
	CONSTRAINT "mint_configs_counters" CHECK ("mint_configs"."supply" >= 0 and "mint_configs"."issued" >= "mint_configs"."supply" and "mint_configs"."holders" >= 0)
);
--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "mint_config" text;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "wallet" text;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "from_wallet" text;--> statement-breakpoint
ALTER TABLE "holdings" ADD CONSTRAINT "holdings_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mint_configs" ADD CONSTRAINT "mint_configs_workspace_id_required_schema_schemas_workspace_id_id_fk" FOREIGN KEY ("workspace_id","required_schema") REFERENCES "public"."schemas"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mint_configs_schema" ON "mint_configs" USING btree ("workspace_id","required_schema") WHERE transfer_mode = 'holder';--> statement-breakpoint
CREATE INDEX "mint_configs_aligning" ON "mint_configs" USING btree ("workspace_id") WHERE aligned_up_to is not null or counted_up_to is not null;--> statement-breakpoint
CREATE INDEX "operations_tokens" ON "operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "operations_wallet" ON "operations" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST) WHERE wallet is not null;--> statement-breakpoint
CREATE INDEX "operations_from_wallet" ON "operations" USING btree ("workspace_id","from_wallet","seq" DESC NULLS LAST) WHERE from_wallet is not null;--> statement-breakpoint
INSERT INTO "mint_configs" ("workspace_id", "id", "name", "symbol", "decimals", "required_schema", "transfer_mode", "rules", "created_at")
	SELECT "id", 'us_real_estate_fund_v1', 'US Real Estate Fund', 'USREF', 6, 'kyc_individual_v1', 'agent', '{}', now() FROM "workspaces";
