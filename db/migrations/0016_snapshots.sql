CREATE TABLE "snapshots" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "snapshots_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"mint_config" text NOT NULL,
	"name" text NOT NULL,
	"record_at" timestamp with time zone NOT NULL,
	"holders" integer,
	"supply" numeric(39, 0),
	"sha256" text,
	"complete" boolean,
	"operation_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"ready_at" timestamp with time zone,
	CONSTRAINT "snapshots_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "snapshots_ready" CHECK (num_nulls("snapshots"."ready_at", "snapshots"."holders", "snapshots"."supply", "snapshots"."sha256", "snapshots"."complete") in (0, 5)
        and ("snapshots"."ready_at" is null or "snapshots"."operation_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_workspace_id_mint_config_mint_configs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","mint_config") REFERENCES "public"."mint_configs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "snapshots_scheduled" ON "snapshots" USING btree ("record_at") WHERE ready_at is null;--> statement-breakpoint
CREATE INDEX "snapshots_newest" ON "snapshots" USING btree ("workspace_id","seq" DESC NULLS LAST);