CREATE TABLE "approval_policies" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"actions" text[] NOT NULL,
	"mint_config" text,
	"min_amount" text,
	"approvals" integer NOT NULL,
	"roles" text[] NOT NULL,
	"expires_in_hours" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "approval_policies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "approval_policies_approvals" CHECK ("approval_policies"."approvals" between 1 and 3),
	CONSTRAINT "approval_policies_hours" CHECK ("approval_policies"."expires_in_hours" between 1 and 336)
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "approvals_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"request" jsonb NOT NULL,
	"digest" text NOT NULL,
	"policy_id" text,
	"needed" integer NOT NULL,
	"roles" text[] NOT NULL,
	"requester" jsonb NOT NULL,
	"requesters" text[] NOT NULL,
	"request_id" text,
	"given" jsonb DEFAULT '[]' NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"ended_by" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"operation_id" text,
	"outcome" jsonb,
	CONSTRAINT "approvals_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "approvals_state" CHECK ("approvals"."state" in ('pending', 'approved', 'rejected', 'withdrawn', 'expired', 'void') and ("approvals"."state" = 'pending') = ("approvals"."ended_at" is null))
);
--> statement-breakpoint
ALTER TABLE "user_sessions" ADD COLUMN "two_factor_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "approval_policies" ADD CONSTRAINT "approval_policies_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_newest" ON "approvals" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "approvals_waiting" ON "approvals" USING btree ("workspace_id","expires_at") WHERE state = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_operation" ON "approvals" USING btree ("workspace_id","operation_id") WHERE operation_id is not null;