CREATE TABLE "chain_costs" (
	"workspace_id" text NOT NULL,
	"period" text NOT NULL,
	"transactions" bigint NOT NULL,
	"fee" bigint NOT NULL,
	"rent" bigint NOT NULL,
	CONSTRAINT "chain_costs_workspace_id_period_pk" PRIMARY KEY("workspace_id","period")
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
ALTER TABLE "workspaces" ADD COLUMN "budget" bigint;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "expiries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "fee" bigint;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "rent" bigint;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "rent" bigint;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "counted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "chain_costs" ADD CONSTRAINT "chain_costs_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "paid_accounts" ADD CONSTRAINT "paid_accounts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "transactions_uncounted" ON "transactions" USING btree ("mode","settled_at") WHERE status in ('confirmed', 'failed') and fee is not null and counted_at is null;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_budget" CHECK ("workspaces"."budget" >= 0);