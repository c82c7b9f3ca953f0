ALTER TABLE "accounts" ADD COLUMN "brand_color" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "contact" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "logo" "bytea";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "logo_hash" "bytea";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "logo_width" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "logo_height" integer;--> statement-breakpoint
CREATE INDEX "accounts_logo_hash" ON "accounts" USING btree ("logo_hash") WHERE logo_hash is not null;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_brand_color" CHECK ("accounts"."brand_color" ~ '^#[0-9a-f]{6}$');--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_logo" CHECK (num_nulls("accounts"."logo", "accounts"."logo_hash", "accounts"."logo_width", "accounts"."logo_height") in (0, 4));