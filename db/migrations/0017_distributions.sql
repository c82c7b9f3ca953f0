CREATE TABLE "distributions" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "distributions_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"snapshot_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"settlement" text NOT NULL,
	"payment_mint" text,
	"decimals" integer NOT NULL,
	"per_unit" text,
	"minimum" numeric(39, 0) NOT NULL,
	"exclude" text[] NOT NULL,
	"total" numeric(39, 0) NOT NULL,
	"allocated" numeric(39, 0) NOT NULL,
	"remainder" numeric(39, 0) NOT NULL,
	"units" numeric(39, 0) NOT NULL,
	"payouts" integer NOT NULL,
	"reason_code" text NOT NULL,
	"reference" text NOT NULL,
	"state" text NOT NULL,
	"approval_id" text,
	"pause_code" text,
	"pause_detail" text,
	"created_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "distributions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "distributions_state" CHECK ("distributions"."state" in ('draft', 'awaiting_approval', 'paying', 'paused', 'completed', 'cancelled') and ("distributions"."state" in ('completed', 'cancelled')) = ("distributions"."ended_at" is not null)),
	CONSTRAINT "distributions_settlement" CHECK ("distributions"."settlement" in ('in_kind', 'stablecoin', 'external') and ("distributions"."settlement" = 'stablecoin') = ("distributions"."payment_mint" is not null)),
	CONSTRAINT "distributions_sum" CHECK ("distributions"."allocated" + "distributions"."remainder" = "distributions"."total")
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"distribution_id" text NOT NULL,
	"wallet" text NOT NULL,
	"investor_id" text,
	"units" numeric(39, 0) NOT NULL,
	"amount" numeric(39, 0) NOT NULL,
	"operation_id" text,
	"paid_to" text,
	"withheld_code" text,
	"withheld_detail" text,
	"paid_at" timestamp with time zone,
	"external_reference" text,
	CONSTRAINT "payouts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "payouts_amount" CHECK ("payouts"."amount" > 0),
	CONSTRAINT "payouts_withheld" CHECK (("payouts"."withheld_code" is null) = ("payouts"."withheld_detail" is null)),
	CONSTRAINT "payouts_external" CHECK (("payouts"."paid_at" is null) = ("payouts"."external_reference" is null) and ("payouts"."paid_at" is null or num_nonnulls("payouts"."operation_id", "payouts"."withheld_code") = 0))
);
--> statement-breakpoint
DROP INDEX "operations_payout";--> statement-breakpoint
ALTER TABLE "distributions" ADD CONSTRAINT "distributions_workspace_id_snapshot_id_snapshots_workspace_id_id_fk" FOREIGN KEY ("workspace_id","snapshot_id") REFERENCES "public"."snapshots"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "distributions" ADD CONSTRAINT "distributions_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_workspace_id_distribution_id_distributions_workspace_id_id_fk" FOREIGN KEY ("workspace_id","distribution_id") REFERENCES "public"."distributions"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "distributions_paying" ON "distributions" USING btree ("workspace_id","seq") WHERE state = 'paying';--> statement-breakpoint
CREATE INDEX "distributions_newest" ON "distributions" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_wallet" ON "payouts" USING btree ("workspace_id","distribution_id","wallet");--> statement-breakpoint
CREATE INDEX "payouts_pending" ON "payouts" USING btree ("workspace_id","distribution_id","wallet") WHERE operation_id is null and withheld_code is null and paid_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "operations_payout" ON "operations" USING btree ("workspace_id",(payload ->> 'payout_id')) WHERE payload ->> 'payout_id' is not null and status <> 'failed';--> statement-breakpoint
DROP INDEX "archived_operations_payout";--> statement-breakpoint
CREATE INDEX "archived_operations_payout" ON "archived_operations" USING btree ("workspace_id",(payload ->> 'payout_id')) WHERE payload ->> 'payout_id' is not null and status <> 'failed';