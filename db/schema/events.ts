import { sql } from "drizzle-orm"
import {
  bigint,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { EventType } from "#shared/event-types.ts"
import { workspaces } from "./accounts.ts"
import { attestations } from "./attestations.ts"
import { time } from "./columns.ts"

/**
 * Events that have no place in their workspace's sequence yet. Triggers write them in the transaction of the change
 * (`db/functions/events.sql`), so that no way to change a row forgets to tell of it, an older version's included.
 */
export const stagedEvents = pgTable("staged_events", {
  // No foreign key: looking it up costs half of writing it, and no workspace is ever deleted.
  workspaceId: text("workspace_id").notNull(),
  /** Taken while the changed row is locked: what happens to one subject is in order. */
  seq: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  /** `session.opened` stands for `attestation.pending` as well. */
  type: text().$type<EventType>().notNull(),
  data: jsonb().$type<Record<string, unknown>>().notNull(),
  /** By the database's clock. */
  occurredAt: time("occurred_at").notNull(),
})

/** What happened in a workspace, in a sequence without a gap; kept 90 days. */
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
    /** In which it got its number; `first` from before generations were recorded. */
    generation: text().notNull().default("first"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.sequence] }),
    uniqueIndex("events_id").on(t.workspaceId, t.id),
    // Those of one kind
    index("events_type").on(t.workspaceId, t.type, t.sequence),
    // Retention
    index("events_occurred").using("brin", t.occurredAt),
  ],
)

/**
 * Runs of the database's server in which events got their numbers. After a restore or a failover, numbers of lost events are
 * given again, in another generation.
 */
export const eventGenerations = pgTable("event_generations", {
  seq: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  /** Random: a database that was restored may give the same `seq` again. */
  id: text().notNull().unique().default(sql`left(replace(gen_random_uuid()::text, '-', ''), 12)`),
  run: text().notNull(),
  begunAt: time("begun_at").notNull().defaultNow(),
})

/** That it was told that an attestation expires, each number of days before the end once. */
export const expiryNotices = pgTable(
  "expiry_notices",
  {
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    days: smallint().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.attestationId, t.days] }),
    foreignKey({
      columns: [t.workspaceId, t.attestationId],
      foreignColumns: [attestations.workspaceId, attestations.id],
    }),
  ],
)

/** How far a workspace's sequence has come. */
export const eventCounters = pgTable("event_counters", {
  workspaceId: text("workspace_id")
    .primaryKey()
    .references(() => workspaces.id),
  last: bigint({ mode: "number" }).notNull().default(0),
  /** Up to which sequence number events are no longer kept. */
  dropped: bigint({ mode: "number" }).notNull().default(0),
  /** The month whose quota was last told of, `YYYY-MM-01`, and how many percent of it. */
  quotaPeriod: text("quota_period"),
  quotaPercent: integer("quota_percent"),
})
