import { sql } from "drizzle-orm"
import { bigint, index, integer, jsonb, pgTable, primaryKey, smallint, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { EventType } from "#shared/event-types.ts"
import { ofWorkspace } from "./accounts.ts"
import { attestations } from "./attestations.ts"
import { refersTo, time } from "./columns.ts"

/**
 * Events that have no place in their workspace's sequence yet. Triggers write them in the transaction of the change
 * (`db/functions/events.sql`), so that every change of a row writes its event.
 */
export const stagedEvents = pgTable("staged_events", {
  // No foreign key: checking it costs half as much as writing the row, and no workspace is ever deleted.
  workspaceId: text("workspace_id").notNull(),
  /** Assigned while the changed row is locked, so events of one subject are in order. */
  seq: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  /** `session.opened` implies `attestation.pending`. */
  type: text().$type<EventType>().notNull(),
  data: jsonb().$type<Record<string, unknown>>().notNull(),
  /** By the database's clock. */
  occurredAt: time("occurred_at").notNull(),
})

/** What happened in a workspace, in a sequence without gaps; kept 90 days. */
export const events = pgTable(
  "events",
  {
    workspaceId: text("workspace_id").notNull(),
    /** 1, 2, 3 … */
    sequence: bigint({ mode: "number" }).notNull(),
    id: text().notNull(),
    type: text().$type<EventType>().notNull(),
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    occurredAt: time("occurred_at").notNull(),
    /** The generation of its number. */
    generation: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.sequence] }),
    uniqueIndex("events_id").on(t.workspaceId, t.id),
    // Events of one kind
    index("events_type").on(t.workspaceId, t.type, t.sequence),
    // Retention
    index("events_occurred").using("brin", t.occurredAt),
  ],
)

/**
 * Runs of the database's server in which events got their numbers. After a restore or a failover, numbers of lost
 * events are assigned again, in another generation.
 */
export const eventGenerations = pgTable("event_generations", {
  seq: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  /** Random: a restored database may assign the same `seq` again. */
  id: text().notNull().unique().default(sql`left(replace(gen_random_uuid()::text, '-', ''), 12)`),
  run: text().notNull(),
  begunAt: time("begun_at").notNull().defaultNow(),
})

/** Records that an event reported an attestation's expiry, once for each number of days before it. */
export const expiryNotices = pgTable(
  "expiry_notices",
  {
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    days: smallint().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.attestationId, t.days] }),
    refersTo(attestations, t.workspaceId, t.attestationId),
  ],
)

/** The position of a workspace's sequence. */
export const eventCounters = pgTable("event_counters", {
  workspaceId: ofWorkspace().primaryKey(),
  last: bigint({ mode: "number" }).notNull().default(0),
  /** The last sequence number whose event was deleted. */
  dropped: bigint({ mode: "number" }).notNull().default(0),
  /** The month of the last quota event, `YYYY-MM-01`, and its percentage. */
  quotaPeriod: text("quota_period"),
  quotaPercent: integer("quota_percent"),
})
