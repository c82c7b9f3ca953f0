CREATE TABLE "key_usage" (
	"workspace_id" text NOT NULL,
	"key_id" text NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"requests" integer NOT NULL,
	"errors" integer NOT NULL,
	CONSTRAINT "key_usage_workspace_id_key_id_day_pk" PRIMARY KEY("workspace_id","key_id","day")
);
--> statement-breakpoint
ALTER TABLE "attestations" ADD COLUMN "opened_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "key_usage" ADD CONSTRAINT "key_usage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_usage_day" ON "key_usage" USING btree ("day");