CREATE TABLE "holder_movements" (
	"workspace_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"wallet" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "holder_movements_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"delta" numeric(39, 0) DEFAULT '0' NOT NULL,
	"slot" bigint,
	"landed_at" timestamp with time zone NOT NULL,
	"signature" text,
	CONSTRAINT "holder_movements_workspace_id_mint_config_wallet_seq_pk" PRIMARY KEY("workspace_id","mint_config","wallet","seq"),
	CONSTRAINT "holder_movements_landed" CHECK (num_nulls("holder_movements"."slot", "holder_movements"."signature") in (0, 2))
);
--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "followed_slot" bigint;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "followed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "cursor_signature" text;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "cursor_slot" bigint;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "walk" jsonb;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "missing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "missing_seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "lost_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "lost_slot" bigint;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "counted_slot" bigint;--> statement-breakpoint
ALTER TABLE "holder_periods" ADD COLUMN "checked_at" timestamp with time zone DEFAULT '-infinity' NOT NULL;--> statement-breakpoint
ALTER TABLE "holder_movements" ADD CONSTRAINT "holder_movements_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "holder_movements_signature" ON "holder_movements" USING btree ("workspace_id","mint_config","wallet","signature");--> statement-breakpoint
CREATE INDEX "holder_periods_followed" ON "holder_periods" USING btree ("checked_at") WHERE until is null and lost_at is null;--> statement-breakpoint
-- It is not recorded when existing tokens were in which mode. A count of balances may have included earlier movements.
UPDATE "holder_periods" SET "lost_at" = "since";
