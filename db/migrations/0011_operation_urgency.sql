ALTER TABLE "operations" ADD COLUMN "urgent" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "fee" bigint;--> statement-breakpoint
CREATE INDEX "operations_urgent" ON "operations" USING btree ("workspace_id","seq") WHERE urgent and status in ('queued', 'submitted');