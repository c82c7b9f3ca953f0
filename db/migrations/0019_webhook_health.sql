CREATE TABLE "webhook_hours" (
	"workspace_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"accepted" integer NOT NULL,
	"refused" integer NOT NULL,
	"accepted_at" timestamp with time zone,
	"refused_at" timestamp with time zone,
	"error" text,
	CONSTRAINT "webhook_hours_workspace_id_endpoint_id_hour_pk" PRIMARY KEY("workspace_id","endpoint_id","hour")
);
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD COLUMN "signature" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "replay" jsonb;--> statement-breakpoint
ALTER TABLE "webhook_hours" ADD CONSTRAINT "webhook_hours_workspace_id_endpoint_id_webhook_endpoints_workspace_id_id_fk" FOREIGN KEY ("workspace_id","endpoint_id") REFERENCES "public"."webhook_endpoints"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","sequence") WHERE status = 'failed';--> statement-breakpoint
INSERT INTO "webhook_hours" ("workspace_id", "endpoint_id", "hour", "accepted", "refused", "accepted_at", "refused_at", "error")
SELECT a."workspace_id", a."endpoint_id", date_trunc('hour', a."at", 'UTC'), count(*) FILTER (WHERE a."error" IS NULL), count(a."error"),
	max(a."at") FILTER (WHERE a."error" IS NULL), max(a."at") FILTER (WHERE a."error" IS NOT NULL),
	(array_agg(a."error" ORDER BY a."at" DESC) FILTER (WHERE a."error" IS NOT NULL))[1]
FROM "webhook_attempts" a JOIN "webhook_endpoints" e ON e."workspace_id" = a."workspace_id" AND e."id" = a."endpoint_id"
GROUP BY 1, 2, 3;
