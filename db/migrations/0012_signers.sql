CREATE TABLE "workspace_authorities" (
	"workspace_id" text NOT NULL,
	"address" text NOT NULL,
	"uri" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspace_authorities_workspace_id_address_pk" PRIMARY KEY("workspace_id","address")
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
CREATE TABLE "signer_keys" (
	"uri" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"pinned_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "schemas" ADD COLUMN "authority" text;--> statement-breakpoint
ALTER TABLE "mint_configs" ADD COLUMN "authority" text;--> statement-breakpoint
ALTER TABLE "workspace_authorities" ADD CONSTRAINT "workspace_authorities_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;