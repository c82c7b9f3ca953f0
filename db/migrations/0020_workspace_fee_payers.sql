CREATE TABLE "workspace_fee_payers" (
	"workspace_id" text NOT NULL,
	"address" text NOT NULL,
	"uri" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspace_fee_payers_workspace_id_address_pk" PRIMARY KEY("workspace_id","address")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "fee_payer" text;--> statement-breakpoint
ALTER TABLE "workspace_fee_payers" ADD CONSTRAINT "workspace_fee_payers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "workspaces_fee_payer" ON "workspaces" USING btree ("mode","fee_payer") WHERE fee_payer is not null;