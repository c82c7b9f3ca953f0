ALTER TABLE "reviews" ADD COLUMN "high_from" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "urgent_from" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "reviews_priority" ON "reviews" USING btree ("workspace_id","high_from","urgent_from","seq") WHERE state <> 'closed';