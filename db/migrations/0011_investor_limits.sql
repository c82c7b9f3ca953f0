CREATE TABLE "investor_slots" (
	"workspace_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"investor" text NOT NULL,
	"attestation_id" text,
	"lent_by" text,
	"lender" text,
	"lender_attestation_id" text,
	CONSTRAINT "investor_slots_workspace_id_mint_config_investor_pk" PRIMARY KEY("workspace_id","mint_config","investor"),
	CONSTRAINT "investor_slots_lent" CHECK (("investor_slots"."lent_by" is null) = ("investor_slots"."lender" is null))
);
--> statement-breakpoint
ALTER TABLE "reviews" DROP CONSTRAINT "reviews_kind";--> statement-breakpoint
ALTER TABLE "holdings" ADD COLUMN "investor" text;--> statement-breakpoint
ALTER TABLE "mint_configs" ADD COLUMN "investors" jsonb;--> statement-breakpoint
ALTER TABLE "investor_slots" ADD CONSTRAINT "investor_slots_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "investor_slots_lender" ON "investor_slots" USING btree ("workspace_id","mint_config","lender") WHERE lender is not null;--> statement-breakpoint
CREATE INDEX "holdings_investor" ON "holdings" USING btree ("workspace_id","investor","mint_config") WHERE investor is not null;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_kind" CHECK ("reviews"."kind" in ('vendor', 'screening', 'signal', 'reversal', 'limit'));