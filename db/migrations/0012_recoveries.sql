CREATE TABLE "recoveries" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "recoveries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"investor_id" text NOT NULL,
	"lost_wallet" text NOT NULL,
	"new_wallet" text,
	"reason_code" text NOT NULL,
	"reference" text NOT NULL,
	"document_sha256" text,
	"state" text NOT NULL,
	"barred_at" timestamp with time zone,
	"approval_id" text,
	"error_code" text,
	"error_detail" text,
	"actor" text NOT NULL,
	"actor_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"begun_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "recoveries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "recoveries_state" CHECK ("recoveries"."state" in ('barred', 'awaiting_approval', 'in_progress', 'completed', 'rejected', 'failed') and ("recoveries"."state" in ('barred', 'awaiting_approval', 'in_progress')) = ("recoveries"."ended_at" is null)),
	CONSTRAINT "recoveries_new_wallet" CHECK ("recoveries"."new_wallet" is not null or "recoveries"."state" in ('barred', 'rejected'))
);
--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recoveries_barred" ON "recoveries" USING btree ("workspace_id","lost_wallet") WHERE barred_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "recoveries_open" ON "recoveries" USING btree ("workspace_id","lost_wallet") WHERE state in ('barred', 'awaiting_approval', 'in_progress');--> statement-breakpoint
CREATE INDEX "recoveries_in_progress" ON "recoveries" USING btree ("workspace_id","seq") WHERE state = 'in_progress';--> statement-breakpoint
CREATE INDEX "recoveries_of_investor" ON "recoveries" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);