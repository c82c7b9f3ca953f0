CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"included" integer,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "accounts_name_unique" UNIQUE("name"),
	CONSTRAINT "accounts_plan" CHECK ("accounts"."plan" in ('free', 'growth', 'enterprise')),
	CONSTRAINT "accounts_included" CHECK ("accounts"."included" >= 0)
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "api_keys_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_records" (
	"workspace_id" text NOT NULL,
	"key_id" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"subject" text,
	"status" integer,
	"body" "bytea",
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_records_workspace_id_key_id_idempotency_key_pk" PRIMARY KEY("workspace_id","key_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "key_secrets" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"key_id" text NOT NULL,
	"start" text NOT NULL,
	"valid_until" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "key_secrets_key" UNIQUE("workspace_id","key_id","hash")
);
--> statement-breakpoint
CREATE TABLE "usage_periods" (
	"workspace_id" text NOT NULL,
	"period" text NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "usage_periods_workspace_id_period_pk" PRIMARY KEY("workspace_id","period"),
	CONSTRAINT "usage_periods_used" CHECK ("usage_periods"."used" >= 0)
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"mode" text NOT NULL,
	"authority" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspaces_account_mode" UNIQUE("account_id","mode"),
	CONSTRAINT "workspaces_mode" CHECK ("workspaces"."mode" in ('live', 'test'))
);
--> statement-breakpoint
CREATE TABLE "attestations" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "attestations_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"schema_id" text NOT NULL,
	"wallet" text NOT NULL,
	"external_id" text,
	"status" text NOT NULL,
	"period" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"session_id" text NOT NULL,
	"provider" text NOT NULL,
	"redirect_url" text,
	"open_until" timestamp with time zone,
	"consented_at" timestamp with time zone,
	"event_at" timestamp with time zone,
	"event_rank" smallint,
	"event_decision" text,
	"issued_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"claims" "bytea",
	"salt" text,
	"commitment" text,
	"operation_id" text,
	"onchain_tx" text,
	"verified_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"reason" text,
	CONSTRAINT "attestations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "attestations_session" UNIQUE("session_id"),
	CONSTRAINT "attestations_status" CHECK ("attestations"."status" in ('pending', 'verified', 'rejected', 'expired')),
	CONSTRAINT "attestations_verified" CHECK ("attestations"."status" <> 'verified' or ("attestations"."issued_at" is not null and "attestations"."expires_at" is not null and "attestations"."onchain_tx" is not null))
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"workspace_id" text NOT NULL,
	"schema_id" text NOT NULL,
	"wallet" text NOT NULL,
	"attestation_id" text,
	CONSTRAINT "credentials_workspace_id_schema_id_wallet_pk" PRIMARY KEY("workspace_id","schema_id","wallet")
);
--> statement-breakpoint
CREATE TABLE "sandbox_submissions" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"event_id" text NOT NULL,
	"decision" text NOT NULL,
	"claims" "bytea",
	"occurred_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "sandbox_submissions_workspace_id_attestation_id_event_id_pk" PRIMARY KEY("workspace_id","attestation_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "schemas" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"validity_days" integer NOT NULL,
	"credential_mint" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "schemas_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "schemas_validity_days" CHECK ("schemas"."validity_days" between 1 and 36500)
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"mode" text NOT NULL,
	"provider" text NOT NULL,
	"event_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"outcome" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "webhook_events_mode_provider_event_id_pk" PRIMARY KEY("mode","provider","event_id")
);
--> statement-breakpoint
CREATE TABLE "chains" (
	"mode" text PRIMARY KEY NOT NULL,
	"genesis_hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "operations_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"payload" jsonb NOT NULL,
	"writes" text[] NOT NULL,
	"reads" text[] NOT NULL,
	"signature" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"alone" boolean DEFAULT false NOT NULL,
	"not_before" timestamp with time zone,
	"error_code" text,
	"error_detail" text,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "operations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "operations_status" CHECK ("operations"."status" in ('queued', 'submitted', 'confirmed', 'failed')),
	CONSTRAINT "operations_submitted" CHECK ("operations"."status" not in ('submitted') or "operations"."signature" is not null)
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"signature" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"mode" text NOT NULL,
	"wire" "bytea" NOT NULL,
	"head" integer NOT NULL,
	"layout" jsonb NOT NULL,
	"last_valid_block_height" bigint NOT NULL,
	"status" text NOT NULL,
	"slot" bigint,
	"error" jsonb,
	"created_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "transactions_status" CHECK ("transactions"."status" in ('saved', 'confirmed', 'failed', 'expired'))
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"trouble" text
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_secrets" ADD CONSTRAINT "key_secrets_workspace_id_key_id_api_keys_workspace_id_id_fk" FOREIGN KEY ("workspace_id","key_id") REFERENCES "public"."api_keys"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_periods" ADD CONSTRAINT "usage_periods_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attestations" ADD CONSTRAINT "attestations_workspace_id_schema_id_schemas_workspace_id_id_fk" FOREIGN KEY ("workspace_id","schema_id") REFERENCES "public"."schemas"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sandbox_submissions" ADD CONSTRAINT "sandbox_submissions_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schemas" ADD CONSTRAINT "schemas_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "attestations_one_pending" ON "attestations" USING btree ("workspace_id","wallet","schema_id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "attestations_wallet" ON "attestations" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_newest" ON "attestations" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_open" ON "attestations" USING btree ("workspace_id","open_until") WHERE status = 'pending' and open_until is not null;--> statement-breakpoint
CREATE INDEX "attestations_expiry" ON "attestations" USING btree ("workspace_id","expires_at") WHERE status in ('pending', 'verified');--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_attestation" ON "credentials" USING btree ("workspace_id","attestation_id");--> statement-breakpoint
CREATE INDEX "sandbox_submissions_due" ON "sandbox_submissions" USING btree ("next_attempt_at") WHERE delivered_at is null;--> statement-breakpoint
CREATE INDEX "webhook_events_received" ON "webhook_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "operations_unfinished" ON "operations" USING btree ("workspace_id","seq") WHERE status in ('queued', 'submitted');--> statement-breakpoint
CREATE INDEX "operations_signature" ON "operations" USING btree ("workspace_id","signature") WHERE signature is not null;--> statement-breakpoint
CREATE INDEX "transactions_pending" ON "transactions" USING btree ("mode","created_at") WHERE status = 'saved';--> statement-breakpoint
CREATE INDEX "transactions_workspace" ON "transactions" USING btree ("workspace_id","created_at");