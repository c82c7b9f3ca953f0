CREATE TABLE "webhook_attempts" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_attempts_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"latency_ms" integer NOT NULL,
	"status_code" smallint,
	"error" text,
	"response" text
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"workspace_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"status" text NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_workspace_id_endpoint_id_sequence_pk" PRIMARY KEY("workspace_id","endpoint_id","sequence"),
	CONSTRAINT "webhook_deliveries_pending" CHECK ((status = 'pending') = (next_attempt_at is not null))
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"types" text[],
	"ordered" boolean DEFAULT false NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_until" timestamp with time zone,
	"cursor" bigint NOT NULL,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text,
	"failing_since" timestamp with time zone,
	"is_slow" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "webhook_endpoints_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "webhook_endpoints_disabled" CHECK ((disabled_at is null) = (disabled_reason is null))
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_workspace_id_endpoint_id_webhook_endpoints_workspace_id_id_fk" FOREIGN KEY ("workspace_id","endpoint_id") REFERENCES "public"."webhook_endpoints"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_attempts_delivery" ON "webhook_attempts" USING btree ("workspace_id","endpoint_id","sequence","seq");--> statement-breakpoint
CREATE INDEX "webhook_attempts_at" ON "webhook_attempts" USING brin ("at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","sequence") WHERE status = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_url" ON "webhook_endpoints" USING btree ("workspace_id","url") WHERE deleted_at is null;