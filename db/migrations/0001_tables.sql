CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"included" integer,
	"second_factor_required" boolean DEFAULT false NOT NULL,
	"four_eyes" boolean DEFAULT false NOT NULL,
	"four_eyes_off_by" text,
	"four_eyes_off_at" timestamp with time zone,
	"brand_color" text,
	"contact" text,
	"logo" "bytea",
	"logo_hash" "bytea",
	"logo_width" integer,
	"logo_height" integer,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "accounts_name_unique" UNIQUE("name"),
	CONSTRAINT "accounts_brand_color" CHECK ("accounts"."brand_color" ~ '^#[0-9a-f]{6}$'),
	CONSTRAINT "accounts_logo" CHECK (num_nulls("accounts"."logo", "accounts"."logo_hash", "accounts"."logo_width", "accounts"."logo_height") in (0, 4)),
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
	"erased" boolean DEFAULT false NOT NULL,
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
	"shown_to" text,
	CONSTRAINT "key_secrets_key" UNIQUE("workspace_id","key_id","hash")
);
--> statement-breakpoint
CREATE TABLE "usage_periods" (
	"workspace_id" text NOT NULL,
	"period" text NOT NULL,
	"used" integer NOT NULL,
	"started" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_periods_workspace_id_period_pk" PRIMARY KEY("workspace_id","period"),
	CONSTRAINT "usage_periods_used" CHECK ("usage_periods"."used" >= 0)
);
--> statement-breakpoint
CREATE TABLE "workspace_authorities" (
	"workspace_id" text NOT NULL,
	"address" text NOT NULL,
	"uri" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspace_authorities_workspace_id_address_pk" PRIMARY KEY("workspace_id","address")
);
--> statement-breakpoint
CREATE TABLE "workspace_fee_payers" (
	"workspace_id" text NOT NULL,
	"address" text NOT NULL,
	"uri" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspace_fee_payers_workspace_id_address_pk" PRIMARY KEY("workspace_id","address")
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"mode" text NOT NULL,
	"authority" text NOT NULL,
	"fee_payer" text,
	"budget" bigint,
	"policies" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"reminders" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspaces_account_mode" UNIQUE("account_id","mode"),
	CONSTRAINT "workspaces_budget" CHECK ("workspaces"."budget" >= 0),
	CONSTRAINT "workspaces_mode" CHECK ("workspaces"."mode" in ('live', 'test'))
);
--> statement-breakpoint
CREATE TABLE "attestations" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "attestations_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"schema_id" text NOT NULL,
	"wallet" text NOT NULL,
	"investor_id" text NOT NULL,
	"external_id" text,
	"status" text NOT NULL,
	"period" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"session_id" text NOT NULL,
	"provider" text NOT NULL,
	"provider_reference" text,
	"earlier_references" text[],
	"provider_link" "bytea",
	"provider_link_until" timestamp with time zone,
	"resume_link_until" timestamp with time zone,
	"language" text,
	"provider_call_until" timestamp with time zone,
	"ask_at" timestamp with time zone,
	"asks" smallint DEFAULT 0 NOT NULL,
	"redirect_url" text,
	"open_until" timestamp with time zone,
	"submitted_at" timestamp with time zone,
	"closing" boolean DEFAULT false NOT NULL,
	"consented_at" timestamp with time zone,
	"wallet_proof_required" boolean DEFAULT false NOT NULL,
	"wallet_proved_at" timestamp with time zone,
	"held_at" timestamp with time zone,
	"event_at" timestamp with time zone,
	"event_rank" smallint,
	"event_decision" text,
	"review_id" text,
	"reviewed_at" timestamp with time zone,
	"issued_at" timestamp with time zone,
	"approved_at" timestamp with time zone,
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
	"public_reason" text,
	"reminder_email" "bytea",
	"reminder_language" text,
	"erased_at" timestamp with time zone,
	CONSTRAINT "attestations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "attestations_session" UNIQUE("session_id"),
	CONSTRAINT "attestations_status" CHECK ("attestations"."status" in ('pending', 'verified', 'rejected', 'expired')),
	CONSTRAINT "attestations_verified" CHECK ("attestations"."status" <> 'verified' or ("attestations"."issued_at" is not null and "attestations"."expires_at" is not null and "attestations"."onchain_tx" is not null)),
	CONSTRAINT "attestations_public_reason" CHECK ("attestations"."public_reason" in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable'))
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
CREATE TABLE "investors" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "investors_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"external_id" text,
	"wallet" text,
	"merged_into" text,
	"created_at" timestamp with time zone NOT NULL,
	"erased_at" timestamp with time zone,
	CONSTRAINT "investors_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "renewal_notices" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"days" smallint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	CONSTRAINT "renewal_notices_workspace_id_attestation_id_days_pk" PRIMARY KEY("workspace_id","attestation_id","days")
);
--> statement-breakpoint
CREATE TABLE "schemas" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"validity_days" integer NOT NULL,
	"wallet_proof" boolean,
	"reminder_days" integer[] DEFAULT '{30,7,1}' NOT NULL,
	"credential_mint" text,
	"authority" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "schemas_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "schemas_validity_days" CHECK ("schemas"."validity_days" between 1 and 36500),
	CONSTRAINT "schemas_reminder_days" CHECK (cardinality("schemas"."reminder_days") <= 5 and 0 < all ("schemas"."reminder_days") and 366 > all ("schemas"."reminder_days"))
);
--> statement-breakpoint
CREATE TABLE "bulk_revocation_items" (
	"workspace_id" text NOT NULL,
	"revocation_id" text NOT NULL,
	"place" smallint NOT NULL,
	"attestation_id" text NOT NULL,
	"outcome" text,
	"failure" text,
	"attempts" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "bulk_revocation_items_workspace_id_revocation_id_place_pk" PRIMARY KEY("workspace_id","revocation_id","place"),
	CONSTRAINT "bulk_revocation_items_outcome" CHECK ("bulk_revocation_items"."outcome" in ('revoked', 'ended before', 'failed', 'left')),
	CONSTRAINT "bulk_revocation_items_failure" CHECK ((outcome is not distinct from 'failed') = (failure is not null))
);
--> statement-breakpoint
CREATE TABLE "bulk_revocations" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"reason" text,
	"public_reason" text,
	"attestations" integer NOT NULL,
	"author_id" text NOT NULL,
	"author_name" text NOT NULL,
	"canceller_name" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "bulk_revocations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "bulk_revocations_reason" CHECK ((ended_at is null) = (reason is not null)),
	CONSTRAINT "bulk_revocations_cancelled" CHECK (canceller_name is null or ended_at is not null)
);
--> statement-breakpoint
CREATE TABLE "event_counters" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"last" bigint DEFAULT 0 NOT NULL,
	"dropped" bigint DEFAULT 0 NOT NULL,
	"quota_period" text,
	"quota_percent" integer
);
--> statement-breakpoint
CREATE TABLE "event_generations" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_generations_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12) NOT NULL,
	"run" text NOT NULL,
	"begun_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_generations_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"workspace_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"generation" text NOT NULL,
	CONSTRAINT "events_workspace_id_sequence_pk" PRIMARY KEY("workspace_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "expiry_notices" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"days" smallint NOT NULL,
	CONSTRAINT "expiry_notices_workspace_id_attestation_id_days_pk" PRIMARY KEY("workspace_id","attestation_id","days")
);
--> statement-breakpoint
CREATE TABLE "staged_events" (
	"workspace_id" text NOT NULL,
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "staged_events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "investor_notes" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "investor_notes_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"investor_id" text NOT NULL,
	"body" "bytea" NOT NULL,
	"author_id" text NOT NULL,
	"author_name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"edited_at" timestamp with time zone,
	CONSTRAINT "investor_notes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "audits" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"slot" bigint,
	"at" timestamp with time zone,
	"differences" integer DEFAULT 0 NOT NULL,
	"full_at" timestamp with time zone,
	"claimed_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "chain_costs" (
	"workspace_id" text NOT NULL,
	"period" text NOT NULL,
	"transactions" bigint NOT NULL,
	"fee" bigint NOT NULL,
	"rent" bigint NOT NULL,
	CONSTRAINT "chain_costs_workspace_id_period_pk" PRIMARY KEY("workspace_id","period")
);
--> statement-breakpoint
CREATE TABLE "chains" (
	"mode" text PRIMARY KEY NOT NULL,
	"genesis_hash" text NOT NULL,
	"seen_slot" bigint,
	"server" text,
	"lineage" text,
	"waits_for" text
);
--> statement-breakpoint
CREATE TABLE "derived_keys" (
	"purpose" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fee_payers" (
	"mode" text NOT NULL,
	"address" text NOT NULL,
	"uri" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "fee_payers_mode_address_pk" PRIMARY KEY("mode","address")
);
--> statement-breakpoint
CREATE TABLE "ledger_leases" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"token" text DEFAULT '' NOT NULL,
	"until" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL
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
	"mint_config" text,
	"wallet" text,
	"from_wallet" text,
	"signature" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"alone" boolean DEFAULT false NOT NULL,
	"urgent" boolean DEFAULT false NOT NULL,
	"redo" boolean DEFAULT false NOT NULL,
	"expiries" integer DEFAULT 0 NOT NULL,
	"fee" bigint,
	"rent" bigint,
	"not_before" timestamp with time zone,
	"error_code" text,
	"error_detail" text,
	"traceparent" text,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "operations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "operations_status" CHECK ("operations"."status" in ('queued', 'submitted', 'confirmed', 'failed')),
	CONSTRAINT "operations_submitted" CHECK ("operations"."status" not in ('submitted') or "operations"."signature" is not null)
);
--> statement-breakpoint
CREATE TABLE "paid_accounts" (
	"workspace_id" text NOT NULL,
	"account" text NOT NULL,
	"times" integer NOT NULL,
	"period" text NOT NULL,
	"reopened" integer NOT NULL,
	CONSTRAINT "paid_accounts_workspace_id_account_pk" PRIMARY KEY("workspace_id","account")
);
--> statement-breakpoint
CREATE TABLE "quarantines" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"differences" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signer_keys" (
	"uri" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"pinned_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"signature" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"mode" text NOT NULL,
	"wire" "bytea",
	"head" integer NOT NULL,
	"layout" jsonb NOT NULL,
	"signed_slot" bigint,
	"last_valid_block_height" bigint NOT NULL,
	"fee" bigint,
	"rent" bigint,
	"counted_at" timestamp with time zone,
	"status" text NOT NULL,
	"slot" bigint,
	"error" jsonb,
	"doubt" text,
	"created_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"finalized_at" timestamp with time zone,
	CONSTRAINT "transactions_status" CHECK ("transactions"."status" in ('saved', 'confirmed', 'failed', 'expired'))
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"trouble" text,
	"report" jsonb,
	"low_payers" jsonb,
	"lists" jsonb
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"workspace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"data" jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	CONSTRAINT "notifications_workspace_id_user_id_kind_subject_pk" PRIMARY KEY("workspace_id","user_id","kind","subject")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "erasures_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"investor_id" text NOT NULL,
	"wallets" text[] NOT NULL,
	"attestations" integer NOT NULL,
	"revoked" integer NOT NULL,
	"erased_at" timestamp with time zone NOT NULL,
	CONSTRAINT "erasures_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "vendor_redactions" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"erasure_id" text NOT NULL,
	"provider" text NOT NULL,
	"reference" "bytea",
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"done_at" timestamp with time zone,
	CONSTRAINT "vendor_redactions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "vendor_redactions_status" CHECK ("vendor_redactions"."status" in ('requested', 'done', 'not_supported', 'kept'))
);
--> statement-breakpoint
CREATE TABLE "api_requests" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"status" smallint NOT NULL,
	"error_code" text,
	"duration_us" integer NOT NULL,
	"key_id" text NOT NULL,
	"headers" jsonb NOT NULL,
	"request_body" text,
	"response_body" text,
	CONSTRAINT "api_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"account_id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" text,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"detail" jsonb NOT NULL,
	"request_id" text,
	CONSTRAINT "audit_entries_account_id_seq_pk" PRIMARY KEY("account_id","seq"),
	CONSTRAINT "audit_entries_actor" CHECK ("audit_entries"."actor" in ('user', 'key', 'operator', 'system'))
);
--> statement-breakpoint
CREATE TABLE "change_counts" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_log_usage" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "review_entries" (
	"workspace_id" text NOT NULL,
	"review_id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "review_entries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"finding" text,
	"author_id" text,
	"author_name" text,
	"text" "bytea",
	CONSTRAINT "review_entries_workspace_id_review_id_seq_pk" PRIMARY KEY("workspace_id","review_id","seq"),
	CONSTRAINT "review_entries_author" CHECK (("review_entries"."finding" is null) = ("review_entries"."author_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "reviews_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"attestation_id" text,
	"wallet" text,
	"investor_id" text,
	"opened_at" timestamp with time zone NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"claims" "bytea",
	"approved_claims" "bytea",
	"assignee" text,
	"state" text DEFAULT 'open' NOT NULL,
	"decision" text,
	"reason" "bytea",
	"public_reason" text,
	"requested_by" text,
	"requested_at" timestamp with time zone,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"ending" text,
	"closed_at" timestamp with time zone,
	"erased_at" timestamp with time zone,
	CONSTRAINT "reviews_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "reviews_kind" CHECK ("reviews"."kind" in ('vendor', 'screening', 'signal', 'reversal')),
	CONSTRAINT "reviews_state" CHECK (case "reviews"."state" when 'open' then "reviews"."decision" is null and "reviews"."closed_at" is null
        when 'requested' then "reviews"."decision" is not null and "reviews"."requested_by" is not null and "reviews"."closed_at" is null
        when 'closed' then "reviews"."closed_at" is not null and "reviews"."ending" is not null else false end),
	CONSTRAINT "reviews_four_eyes" CHECK ("reviews"."decided_by" <> "reviews"."requested_by"),
	CONSTRAINT "reviews_public_reason" CHECK ("reviews"."public_reason" in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable'))
);
--> statement-breakpoint
CREATE TABLE "saved_filters" (
	"workspace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"id" text NOT NULL,
	"list" text NOT NULL,
	"name" text NOT NULL,
	"filter" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "saved_filters_workspace_id_user_id_id_pk" PRIMARY KEY("workspace_id","user_id","id")
);
--> statement-breakpoint
CREATE TABLE "screening_hits" (
	"workspace_id" text NOT NULL,
	"wallet" text NOT NULL,
	"list" text NOT NULL,
	"digest" text NOT NULL,
	"entries" integer NOT NULL,
	"loaded_at" timestamp with time zone NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"review_id" text,
	"frozen_at" timestamp with time zone,
	"cleared_at" timestamp with time zone,
	"gone_at" timestamp with time zone,
	CONSTRAINT "screening_hits_workspace_id_wallet_list_pk" PRIMARY KEY("workspace_id","wallet","list")
);
--> statement-breakpoint
CREATE TABLE "screening_list_parts" (
	"name" text NOT NULL,
	"part" integer NOT NULL,
	"keys" "bytea" NOT NULL,
	CONSTRAINT "screening_list_parts_name_part_pk" PRIMARY KEY("name","part")
);
--> statement-breakpoint
CREATE TABLE "screening_lists" (
	"name" text PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"entries" integer NOT NULL,
	"loaded_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "screenings" (
	"workspace_id" text NOT NULL,
	"list" text NOT NULL,
	"digest" text NOT NULL,
	"step" text,
	"up_to" text DEFAULT '' NOT NULL,
	"token" text,
	"claimed_until" timestamp with time zone,
	"compared" bigint DEFAULT 0 NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "screenings_workspace_id_list_pk" PRIMARY KEY("workspace_id","list")
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
CREATE TABLE "wallet_challenges" (
	"workspace_id" text NOT NULL,
	"attestation_id" text NOT NULL,
	"nonce" text NOT NULL,
	"chain_id" text,
	"issued_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "wallet_challenges_workspace_id_attestation_id_pk" PRIMARY KEY("workspace_id","attestation_id")
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
CREATE TABLE "holdings" (
	"workspace_id" text NOT NULL,
	"mint_config" text NOT NULL,
	"wallet" text NOT NULL,
	"balance" numeric(39, 0) DEFAULT '0' NOT NULL,
	"incoming" numeric(39, 0) DEFAULT '0' NOT NULL,
	"outgoing" numeric(39, 0) DEFAULT '0' NOT NULL,
	"counted" boolean DEFAULT false NOT NULL,
	CONSTRAINT "holdings_workspace_id_mint_config_wallet_pk" PRIMARY KEY("workspace_id","mint_config","wallet"),
	CONSTRAINT "holdings_in_flight" CHECK ("holdings"."incoming" >= 0 and "holdings"."outgoing" >= 0)
);
--> statement-breakpoint
CREATE TABLE "mint_configs" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"symbol" text NOT NULL,
	"decimals" smallint NOT NULL,
	"required_schema" text NOT NULL,
	"transfer_mode" text NOT NULL,
	"rules" jsonb NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"mint" text,
	"authority" text,
	"pausable" boolean DEFAULT false NOT NULL,
	"minted_at" timestamp with time zone,
	"issued" numeric(39, 0) DEFAULT '0' NOT NULL,
	"supply" numeric(39, 0) DEFAULT '0' NOT NULL,
	"holders" integer DEFAULT 0 NOT NULL,
	"aligned_up_to" text,
	"counted_up_to" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "mint_configs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "mint_configs_decimals" CHECK ("mint_configs"."decimals" between 0 and 9),
	CONSTRAINT "mint_configs_transfer_mode" CHECK ("mint_configs"."transfer_mode" in ('agent', 'holder')),
	CONSTRAINT "mint_configs_counters" CHECK ("mint_configs"."supply" >= 0 and "mint_configs"."issued" >= "mint_configs"."supply" and "mint_configs"."holders" >= 0)
);
--> statement-breakpoint
CREATE TABLE "auth_rate_limits" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"count" integer NOT NULL,
	"last_request" bigint NOT NULL,
	CONSTRAINT "auth_rate_limits_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"account_id" text NOT NULL,
	"id" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"role" text NOT NULL,
	"email" text,
	"mailed" boolean DEFAULT false NOT NULL,
	"proof_hash" "bytea",
	"proof_email" text,
	"proof_sent_at" timestamp with time zone,
	"invited_by" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	CONSTRAINT "invitations_account_id_id_pk" PRIMARY KEY("account_id","id"),
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "invitations_proof_hash_unique" UNIQUE("proof_hash"),
	CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('owner', 'developer', 'compliance', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "mail_counts" (
	"subject" text PRIMARY KEY NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "members" (
	"account_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"admitted_by" text,
	"muted_notifications" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "members_account_id_user_id_pk" PRIMARY KEY("account_id","user_id"),
	CONSTRAINT "members_role" CHECK ("members"."role" in ('owner', 'developer', 'compliance', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "user_credentials" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp with time zone,
	"refresh_token_expires_at" timestamp with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_links" (
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_links_user_id_kind_pk" PRIMARY KEY("user_id","kind"),
	CONSTRAINT "user_links_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "user_links_kind" CHECK ("user_links"."kind" in ('reset', 'confirm'))
);
--> statement-breakpoint
CREATE TABLE "user_passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text,
	"public_key" text NOT NULL,
	"user_id" text NOT NULL,
	"credential_id" text NOT NULL,
	"counter" integer NOT NULL,
	"device_type" text NOT NULL,
	"backed_up" boolean NOT NULL,
	"transports" text,
	"aaguid" text,
	"created_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "user_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"two_factor" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "user_two_factors" (
	"id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"user_id" text NOT NULL,
	"verified" boolean DEFAULT true NOT NULL,
	"failed_verification_count" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp with time zone,
	"last_step" integer
);
--> statement-breakpoint
CREATE TABLE "user_verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean NOT NULL,
	"image" text,
	"time_zone" text,
	"two_factor_enabled" boolean DEFAULT false NOT NULL,
	"sign_in_generation" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
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
	"leased_until" timestamp with time zone,
	"lease_token" text,
	"created_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "webhook_endpoints_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "webhook_endpoints_disabled" CHECK ((disabled_at is null) = (disabled_reason is null))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_secrets" ADD CONSTRAINT "key_secrets_workspace_id_key_id_api_keys_workspace_id_id_fk" FOREIGN KEY ("workspace_id","key_id") REFERENCES "public"."api_keys"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_periods" ADD CONSTRAINT "usage_periods_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_authorities" ADD CONSTRAINT "workspace_authorities_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_fee_payers" ADD CONSTRAINT "workspace_fee_payers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attestations" ADD CONSTRAINT "attestations_workspace_id_schema_id_schemas_workspace_id_id_fk" FOREIGN KEY ("workspace_id","schema_id") REFERENCES "public"."schemas"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attestations" ADD CONSTRAINT "attestations_workspace_id_investor_id_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","investor_id") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "investors" ADD CONSTRAINT "investors_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "investors" ADD CONSTRAINT "investors_workspace_id_merged_into_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","merged_into") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal_notices" ADD CONSTRAINT "renewal_notices_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schemas" ADD CONSTRAINT "schemas_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_revocation_items" ADD CONSTRAINT "bulk_revocation_items_workspace_id_revocation_id_bulk_revocations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","revocation_id") REFERENCES "public"."bulk_revocations"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_revocations" ADD CONSTRAINT "bulk_revocations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_counters" ADD CONSTRAINT "event_counters_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "expiry_notices" ADD CONSTRAINT "expiry_notices_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "investor_notes" ADD CONSTRAINT "investor_notes_workspace_id_investor_id_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","investor_id") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audits" ADD CONSTRAINT "audits_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chain_costs" ADD CONSTRAINT "chain_costs_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_leases" ADD CONSTRAINT "ledger_leases_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "paid_accounts" ADD CONSTRAINT "paid_accounts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantines" ADD CONSTRAINT "quarantines_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vendor_redactions" ADD CONSTRAINT "vendor_redactions_workspace_id_erasure_id_erasures_workspace_id_id_fk" FOREIGN KEY ("workspace_id","erasure_id") REFERENCES "public"."erasures"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "change_counts" ADD CONSTRAINT "change_counts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "request_log_usage" ADD CONSTRAINT "request_log_usage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_entries" ADD CONSTRAINT "review_entries_workspace_id_review_id_reviews_workspace_id_id_fk" FOREIGN KEY ("workspace_id","review_id") REFERENCES "public"."reviews"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_assignee_users_id_fk" FOREIGN KEY ("assignee") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_workspace_id_investor_id_investors_workspace_id_id_fk" FOREIGN KEY ("workspace_id","investor_id") REFERENCES "public"."investors"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screening_hits" ADD CONSTRAINT "screening_hits_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screening_hits" ADD CONSTRAINT "screening_hits_workspace_id_review_id_reviews_workspace_id_id_fk" FOREIGN KEY ("workspace_id","review_id") REFERENCES "public"."reviews"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screenings" ADD CONSTRAINT "screenings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sandbox_submissions" ADD CONSTRAINT "sandbox_submissions_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallet_challenges" ADD CONSTRAINT "wallet_challenges_workspace_id_attestation_id_attestations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","attestation_id") REFERENCES "public"."attestations"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holdings" ADD CONSTRAINT "holdings_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mint_configs" ADD CONSTRAINT "mint_configs_workspace_id_required_schema_schemas_workspace_id_id_fk" FOREIGN KEY ("workspace_id","required_schema") REFERENCES "public"."schemas"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_credentials" ADD CONSTRAINT "user_credentials_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_links" ADD CONSTRAINT "user_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_passkeys" ADD CONSTRAINT "user_passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_sessions" ADD CONSTRAINT "user_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_two_factors" ADD CONSTRAINT "user_two_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_workspace_id_endpoint_id_webhook_endpoints_workspace_id_id_fk" FOREIGN KEY ("workspace_id","endpoint_id") REFERENCES "public"."webhook_endpoints"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_logo_hash" ON "accounts" USING btree ("logo_hash") WHERE logo_hash is not null;--> statement-breakpoint
CREATE INDEX "idempotency_records_created" ON "idempotency_records" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "workspace_authorities_address" ON "workspace_authorities" USING btree ("address");--> statement-breakpoint
CREATE INDEX "workspace_fee_payers_address" ON "workspace_fee_payers" USING btree ("address");--> statement-breakpoint
CREATE INDEX "workspaces_fee_payer" ON "workspaces" USING btree ("mode","fee_payer") WHERE fee_payer is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "attestations_one_pending" ON "attestations" USING btree ("workspace_id","wallet","schema_id","investor_id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "attestations_wallet_owner" ON "attestations" USING btree ("workspace_id","wallet",greatest(wallet_proved_at, issued_at, approved_at) desc nulls last,"seq" DESC NULLS LAST) WHERE wallet_proved_at is not null or issued_at is not null;--> statement-breakpoint
CREATE INDEX "attestations_wallet" ON "attestations" USING btree ("workspace_id","wallet" text_pattern_ops,"seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_wallet_end" ON "attestations" USING btree ("workspace_id",right(wallet, 4));--> statement-breakpoint
CREATE INDEX "attestations_external_id" ON "attestations" USING btree ("workspace_id",lower(external_id) text_pattern_ops) WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "attestations_investor" ON "attestations" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_provider_reference" ON "attestations" USING btree ("provider","provider_reference") WHERE provider_reference is not null;--> statement-breakpoint
CREATE INDEX "attestations_earlier_references" ON "attestations" USING gin ("earlier_references") WHERE earlier_references is not null;--> statement-breakpoint
CREATE INDEX "attestations_ask" ON "attestations" USING btree ("ask_at") WHERE status = 'pending' and ask_at is not null;--> statement-breakpoint
CREATE INDEX "attestations_reminders" ON "attestations" USING btree ("expires_at") WHERE reminder_email is not null;--> statement-breakpoint
CREATE INDEX "attestations_newest" ON "attestations" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_schema" ON "attestations" USING btree ("workspace_id","schema_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_status" ON "attestations" USING btree ("workspace_id","status","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_schema_status" ON "attestations" USING btree ("workspace_id","schema_id","status","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_revoked" ON "attestations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE revoked_at is not null;--> statement-breakpoint
CREATE INDEX "attestations_rejected" ON "attestations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'rejected' and revoked_at is null;--> statement-breakpoint
CREATE INDEX "attestations_session_state" ON "attestations" USING btree ("workspace_id",(case when verified_at is not null then 'verified' when status = 'rejected' and revoked_at is null then 'rejected' when status = 'rejected' then 'cancelled' when status = 'expired' then 'expired' when issued_at is not null then 'approved' when event_decision = 'in_review' then 'in_review' else 'open' end),"seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "attestations_created" ON "attestations" USING btree ("workspace_id","created_at");--> statement-breakpoint
CREATE INDEX "attestations_open" ON "attestations" USING btree ("workspace_id","open_until") WHERE status = 'pending' and open_until is not null;--> statement-breakpoint
CREATE INDEX "attestations_expiry" ON "attestations" USING btree ("workspace_id","expires_at") WHERE status in ('pending', 'verified');--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_attestation" ON "credentials" USING btree ("workspace_id","attestation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "investors_external_id" ON "investors" USING btree ("workspace_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "investors_one_of_wallet" ON "investors" USING btree ("workspace_id","wallet") WHERE external_id is null and merged_into is null;--> statement-breakpoint
CREATE INDEX "investors_merged" ON "investors" USING btree ("workspace_id","merged_into") WHERE merged_into is not null;--> statement-breakpoint
CREATE INDEX "investors_newest" ON "investors" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE merged_into is null;--> statement-breakpoint
CREATE INDEX "renewal_notices_due" ON "renewal_notices" USING btree ("next_attempt_at") WHERE sent_at is null;--> statement-breakpoint
CREATE INDEX "bulk_revocation_items_next" ON "bulk_revocation_items" USING btree ("workspace_id","revocation_id","attempts","place") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "bulk_revocations_own_open" ON "bulk_revocations" USING btree ("workspace_id","created_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "bulk_revocations_open" ON "bulk_revocations" USING btree ("created_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "bulk_revocations_ended" ON "bulk_revocations" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "events_id" ON "events" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "events_type" ON "events" USING btree ("workspace_id","type","sequence");--> statement-breakpoint
CREATE INDEX "events_occurred" ON "events" USING brin ("occurred_at");--> statement-breakpoint
CREATE INDEX "investor_notes_newest" ON "investor_notes" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "operations_unfinished" ON "operations" USING btree ("workspace_id","seq") WHERE status in ('queued', 'submitted');--> statement-breakpoint
CREATE INDEX "operations_urgent" ON "operations" USING btree ("workspace_id","seq") WHERE urgent and status in ('queued', 'submitted');--> statement-breakpoint
CREATE INDEX "operations_tokens" ON "operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "operations_wallet" ON "operations" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST) WHERE wallet is not null;--> statement-breakpoint
CREATE INDEX "operations_from_wallet" ON "operations" USING btree ("workspace_id","from_wallet","seq" DESC NULLS LAST) WHERE from_wallet is not null;--> statement-breakpoint
CREATE INDEX "operations_failed" ON "operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'failed' and kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "operations_signature" ON "operations" USING btree ("workspace_id","signature") WHERE signature is not null;--> statement-breakpoint
CREATE INDEX "operations_ended" ON "operations" USING btree ("workspace_id","finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "transactions_pending" ON "transactions" USING btree ("mode","created_at") WHERE status = 'saved';--> statement-breakpoint
CREATE INDEX "transactions_unfinalized" ON "transactions" USING btree ("mode","slot") WHERE status = 'confirmed' and finalized_at is null;--> statement-breakpoint
CREATE INDEX "transactions_created" ON "transactions" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "transactions_workspace" ON "transactions" USING btree ("workspace_id","created_at");--> statement-breakpoint
CREATE INDEX "transactions_uncounted" ON "transactions" USING btree ("mode","settled_at") WHERE status in ('confirmed', 'failed') and fee is not null and counted_at is null;--> statement-breakpoint
CREATE INDEX "notifications_due" ON "notifications" USING btree ("next_attempt_at") WHERE sent_at is null;--> statement-breakpoint
CREATE INDEX "notifications_user" ON "notifications" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "erasures_investor" ON "erasures" USING btree ("workspace_id","investor_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "vendor_redactions_erasure" ON "vendor_redactions" USING btree ("workspace_id","erasure_id");--> statement-breakpoint
CREATE INDEX "vendor_redactions_due" ON "vendor_redactions" USING btree ("next_attempt_at") WHERE status = 'requested';--> statement-breakpoint
CREATE INDEX "api_requests_newest" ON "api_requests" USING btree ("workspace_id","at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "api_requests_errors" ON "api_requests" USING btree ("workspace_id","at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE status >= 400;--> statement-breakpoint
CREATE INDEX "api_requests_at" ON "api_requests" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_entries_newest" ON "audit_entries" USING btree ("account_id","workspace_id","at","seq");--> statement-breakpoint
CREATE INDEX "audit_entries_besides_tokens" ON "audit_entries" USING btree ("account_id","workspace_id","at","seq") WHERE action not like 'token.%';--> statement-breakpoint
CREATE INDEX "audit_entries_people" ON "audit_entries" USING btree ("account_id","workspace_id","at","seq") WHERE actor <> 'key';--> statement-breakpoint
CREATE INDEX "audit_entries_subject" ON "audit_entries" USING btree ("account_id","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_one_open" ON "reviews" USING btree ("workspace_id","kind","subject") WHERE state <> 'closed';--> statement-breakpoint
CREATE INDEX "reviews_newest" ON "reviews" USING btree ("workspace_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "reviews_waiting" ON "reviews" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE state <> 'closed';--> statement-breakpoint
CREATE INDEX "reviews_wallet" ON "reviews" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "reviews_attestation" ON "reviews" USING btree ("workspace_id","attestation_id") WHERE state <> 'closed';--> statement-breakpoint
CREATE UNIQUE INDEX "saved_filters_name" ON "saved_filters" USING btree ("workspace_id","user_id","list","name");--> statement-breakpoint
CREATE INDEX "saved_filters_user" ON "saved_filters" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "screening_hits_list" ON "screening_hits" USING btree ("workspace_id","list","wallet");--> statement-breakpoint
CREATE INDEX "sandbox_submissions_due" ON "sandbox_submissions" USING btree ("next_attempt_at") WHERE delivered_at is null;--> statement-breakpoint
CREATE INDEX "wallet_challenges_expired" ON "wallet_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_events_received" ON "webhook_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "mint_configs_schema" ON "mint_configs" USING btree ("workspace_id","required_schema") WHERE transfer_mode = 'holder';--> statement-breakpoint
CREATE INDEX "mint_configs_aligning" ON "mint_configs" USING btree ("workspace_id") WHERE aligned_up_to is not null or counted_up_to is not null;--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_credentials_user" ON "user_credentials" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_passkeys_user" ON "user_passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_passkeys_credential" ON "user_passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "user_sessions_user" ON "user_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_sessions_expires" ON "user_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "user_two_factors_user" ON "user_two_factors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_verifications_identifier" ON "user_verifications" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "user_verifications_value" ON "user_verifications" USING hash ("value");--> statement-breakpoint
CREATE INDEX "user_verifications_expires" ON "user_verifications" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_attempts_delivery" ON "webhook_attempts" USING btree ("workspace_id","endpoint_id","sequence","seq");--> statement-breakpoint
CREATE INDEX "webhook_attempts_at" ON "webhook_attempts" USING brin ("at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","sequence") WHERE status = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_url" ON "webhook_endpoints" USING btree ("workspace_id","url") WHERE deleted_at is null;
--> statement-breakpoint
-- By hand from here on: what Drizzle cannot express.

-- Operations and transactions that ended long ago (server/ledger/archive.ts). The checks also tell the planner which statements
-- can skip them.
CREATE TABLE "archived_operations" (
	CONSTRAINT "archived_operations_pkey" PRIMARY KEY ("workspace_id", "id"),
	CONSTRAINT "archived_operations_ended" CHECK (status in ('confirmed', 'failed') and finished_at is not null)
) INHERITS ("operations");--> statement-breakpoint
CREATE INDEX "archived_operations_tokens" ON "archived_operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "archived_operations_failed" ON "archived_operations" USING btree ("workspace_id","seq" DESC NULLS LAST) WHERE status = 'failed' and kind in ('mint', 'transfer');--> statement-breakpoint
CREATE INDEX "archived_operations_wallet" ON "archived_operations" USING btree ("workspace_id","wallet","seq" DESC NULLS LAST) WHERE wallet is not null;--> statement-breakpoint
CREATE INDEX "archived_operations_from_wallet" ON "archived_operations" USING btree ("workspace_id","from_wallet","seq" DESC NULLS LAST) WHERE from_wallet is not null;--> statement-breakpoint
CREATE INDEX "archived_operations_signature" ON "archived_operations" USING btree ("workspace_id","signature") WHERE signature is not null;--> statement-breakpoint
CREATE TABLE "archived_transactions" (
	CONSTRAINT "archived_transactions_pkey" PRIMARY KEY ("signature"),
	CONSTRAINT "archived_transactions_ended" CHECK (status in ('confirmed', 'failed', 'expired') and wire is null),
	CONSTRAINT "archived_transactions_final" CHECK (status <> 'confirmed' or finalized_at is not null),
	CONSTRAINT "archived_transactions_counted" CHECK (status = 'expired' or fee is null or counted_at is not null)
) INHERITS ("transactions");--> statement-breakpoint
CREATE INDEX "archived_transactions_workspace" ON "archived_transactions" USING btree ("workspace_id","created_at");--> statement-breakpoint
-- Audits: what landed since a slot
CREATE INDEX "archived_transactions_slot" ON "archived_transactions" USING btree ("workspace_id","slot");
--> statement-breakpoint
-- The dashboard's search for words of external ids. pg_trgm is a trusted extension: the owner of the database may create it. If
-- the host lacks or forbids it, the search works without the index.
DO $$
BEGIN
	CREATE EXTENSION IF NOT EXISTS "pg_trgm";
	CREATE INDEX "investors_external_id_words" ON "investors" USING gin (lower(external_id) gin_trgm_ops) WHERE external_id is not null;
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE 'No index for the search by words of external ids: %', SQLERRM;
END $$;
