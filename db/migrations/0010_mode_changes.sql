DROP INDEX "mint_configs_aligning";--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "next_account" text;--> statement-breakpoint
ALTER TABLE "mint_configs" ADD COLUMN "next_transfer_mode" text;--> statement-breakpoint
CREATE INDEX "mint_configs_changing" ON "mint_configs" USING btree ("workspace_id") WHERE aligned_up_to is not null or counted_up_to is not null or next_transfer_mode is not null;--> statement-breakpoint
ALTER TABLE "mint_configs" ADD CONSTRAINT "mint_configs_next_mode" CHECK ("mint_configs"."next_transfer_mode" is null or ("mint_configs"."next_transfer_mode" = 'holder' and "mint_configs"."transfer_mode" = 'agent'));