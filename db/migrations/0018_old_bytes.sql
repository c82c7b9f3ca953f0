ALTER TABLE "transactions" ALTER COLUMN "wire" DROP NOT NULL;--> statement-breakpoint
CREATE INDEX "transactions_created" ON "transactions" USING brin ("created_at");