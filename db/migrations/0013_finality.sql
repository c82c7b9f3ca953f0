ALTER TABLE "operations" ADD COLUMN "redo" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "finalized_at" timestamp with time zone;--> statement-breakpoint
UPDATE "transactions" SET "finalized_at" = "settled_at" WHERE "status" = 'confirmed' AND "settled_at" < now() - interval '10 minutes';--> statement-breakpoint
CREATE INDEX "transactions_unfinalized" ON "transactions" USING btree ("mode","slot") WHERE status = 'confirmed' and finalized_at is null;