CREATE TABLE "wallet_freezes" (
	"workspace_id" text NOT NULL,
	"wallet" text NOT NULL,
	"mint_config" text NOT NULL,
	"reason_code" text NOT NULL,
	"reference" text NOT NULL,
	"actor" text NOT NULL,
	"actor_id" text,
	"frozen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "wallet_freezes_workspace_id_wallet_mint_config_pk" PRIMARY KEY("workspace_id","wallet","mint_config")
);
--> statement-breakpoint
ALTER TABLE "wallet_freezes" ADD CONSTRAINT "wallet_freezes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;