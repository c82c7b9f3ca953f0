CREATE TABLE "holds" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "holds_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"mint_config" text NOT NULL,
	"wallet" text NOT NULL,
	"amount" numeric(39, 0) DEFAULT '0' NOT NULL,
	"remaining" numeric(39, 0) DEFAULT '0' NOT NULL,
	"taking" numeric(39, 0) DEFAULT '0' NOT NULL,
	"state" text NOT NULL,
	"reason_code" text NOT NULL,
	"reference" text NOT NULL,
	"expires_at" timestamp with time zone,
	"account" text,
	"operation_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "holds_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "holds_amounts" CHECK ("holds"."remaining" >= 0 and "holds"."taking" >= 0 and "holds"."remaining" + "holds"."taking" <= "holds"."amount"),
	CONSTRAINT "holds_state" CHECK ("holds"."state" in ('pending', 'active', 'released', 'executed', 'expired', 'failed') and ("holds"."state" in ('pending', 'active')) = ("holds"."ended_at" is null))
);
--> statement-breakpoint
ALTER TABLE "holdings" ADD COLUMN "held" numeric(39, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "holds_newest" ON "holds" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("workspace_id","mint_config","wallet") WHERE state in ('pending', 'active');--> statement-breakpoint
CREATE INDEX "holds_expiring" ON "holds" USING btree ("workspace_id","expires_at") WHERE state = 'active' and expires_at is not null;--> statement-breakpoint
ALTER TABLE "holdings" ADD CONSTRAINT "holdings_held" CHECK ("holdings"."held" >= 0);