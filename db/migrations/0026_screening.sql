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
ALTER TABLE "workspaces" ADD COLUMN "policies" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "lists" jsonb;--> statement-breakpoint
ALTER TABLE "screening_hits" ADD CONSTRAINT "screening_hits_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screening_hits" ADD CONSTRAINT "screening_hits_workspace_id_review_id_reviews_workspace_id_id_fk" FOREIGN KEY ("workspace_id","review_id") REFERENCES "public"."reviews"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screenings" ADD CONSTRAINT "screenings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "screening_hits_list" ON "screening_hits" USING btree ("workspace_id","list","wallet");