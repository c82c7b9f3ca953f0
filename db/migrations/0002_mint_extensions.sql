ALTER TABLE "mint_configs" ADD COLUMN "extensions" text[];
