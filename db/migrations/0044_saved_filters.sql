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
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_filters_name" ON "saved_filters" USING btree ("workspace_id","user_id","list","name");--> statement-breakpoint
CREATE INDEX "saved_filters_user" ON "saved_filters" USING btree ("user_id");