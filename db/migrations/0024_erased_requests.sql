ALTER TABLE "erasures" ADD COLUMN "requests_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "requests_cleared" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "erasures_requests" ON "erasures" USING btree ("workspace_id","requests_until");--> statement-breakpoint
CREATE INDEX "erasures_uncleared" ON "erasures" USING btree ("erased_at") WHERE not requests_cleared;