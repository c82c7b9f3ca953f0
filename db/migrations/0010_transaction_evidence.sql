ALTER TABLE "transactions" ADD COLUMN "signed_slot" bigint;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "doubt" text;