CREATE TABLE "event_generations" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_generations_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12) NOT NULL,
	"run" text NOT NULL,
	"begun_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_generations_id_unique" UNIQUE("id")
);
--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "generation" text DEFAULT 'first' NOT NULL;