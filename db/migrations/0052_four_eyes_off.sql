ALTER TABLE "accounts" ADD COLUMN "four_eyes_off_by" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "four_eyes_off_at" timestamp with time zone;