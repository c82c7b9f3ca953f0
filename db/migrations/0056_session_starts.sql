ALTER TABLE "usage_periods" ADD COLUMN "started" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "usage_periods" SET "started" = "used";