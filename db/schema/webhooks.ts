import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
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
import type { DeliveryStatus, DisabledReason } from "#shared/webhooks.ts"
import { ofWorkspace } from "./accounts.ts"
import { bytes, refersTo, time } from "./columns.ts"

/** When a replay began, the numbers of the events it covers (after one, up to another), and how many it sends. */
export type LastReplay = { at: string; after: number; upto: number; events: number }

/** Where a workspace's events are sent. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    url: text().notNull(),
    description: text(),
    /** Types of events; null means all types, including ones added later. */
    types: text().array().$type<EventType[]>(),
    /** Whether an event waits for all earlier ones. */
    ordered: boolean().notNull().default(false),
    /** `whsec_…`, sealed. */
    secret: bytes().notNull(),
    /** The previous secret, sealed, and until when it still signs too. */
    previousSecret: bytes("previous_secret"),
    previousUntil: time("previous_until"),
    /** Sequence number of the last event with a delivery here. A replay sets it back. */
    cursor: bigint({ mode: "number" }).notNull(),
    disabledAt: time("disabled_at"),
    disabledReason: text("disabled_reason").$type<DisabledReason>(),
    /** Since when every attempt has failed. */
    failingSince: time("failing_since"),
    /** Slow to answer lately: its deliveries wait with those of other slow endpoints. */
    isSlow: boolean("is_slow").notNull().default(false),
    /** Until when one worker alone sends to it, by the database's clock. Set back if the worker ends earlier. */
    leasedUntil: time("leased_until"),
    /** Changes with each lease, so that a worker that lost its lease cannot end the next one. */
    leaseToken: text("lease_token"),
    /** The last replay, to show its progress. */
    replay: jsonb().$type<LastReplay>(),
    createdAt: time("created_at").notNull(),
    /** Its deliveries are deleted in batches, then its row. */
    deletedAt: time("deleted_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("webhook_endpoints_url").on(t.workspaceId, t.url).where(sql`deleted_at is null`),
    check("webhook_endpoints_disabled", sql`(disabled_at is null) = (disabled_reason is null)`),
  ],
)

/** An event for an endpoint. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    workspaceId: text("workspace_id").notNull(),
    endpointId: text("endpoint_id").notNull(),
    /** The event's sequence number. */
    sequence: bigint({ mode: "number" }).notNull(),
    status: text().$type<DeliveryStatus>().notNull(),
    /** Attempts since it was last requested; a replay starts at 0 again. */
    attempts: smallint().notNull().default(0),
    /** During an attempt: when another process may make the next one. */
    nextAttemptAt: time("next_attempt_at"),
    endedAt: time("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.endpointId, t.sequence] }),
    refersTo(webhookEndpoints, t.workspaceId, t.endpointId),
    check("webhook_deliveries_pending", sql`(status = 'pending') = (next_attempt_at is not null)`),
    // The queue of deliveries
    index("webhook_deliveries_due").on(t.workspaceId, t.endpointId, t.nextAttemptAt).where(sql`status = 'pending'`),
    // The first delivery, which blocks an ordered endpoint
    index("webhook_deliveries_pending").on(t.workspaceId, t.endpointId, t.sequence).where(sql`status = 'pending'`),
    // Those given up: how many there are, and the replay of them
    index("webhook_deliveries_failed").on(t.workspaceId, t.endpointId, t.sequence).where(sql`status = 'failed'`),
  ],
)

/** The outcome of one attempt. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    seq: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    workspaceId: text("workspace_id").notNull(),
    endpointId: text("endpoint_id").notNull(),
    sequence: bigint({ mode: "number" }).notNull(),
    at: time("at").notNull(),
    latencyMs: integer("latency_ms").notNull(),
    /** Null if there was no answer. The error then gives the reason. */
    statusCode: smallint("status_code"),
    error: text(),
    /** The start of the answer's body. */
    response: text(),
    /** The header webhook-signature. It cannot be computed again once the secret was rotated. */
    signature: text(),
  },
  (t) => [
    index("webhook_attempts_delivery").on(t.workspaceId, t.endpointId, t.sequence, t.seq),
    // Retention
    index("webhook_attempts_at").using("brin", t.at),
  ],
)

/** The attempts of an hour, counted as they are made: the health of an endpoint. */
export const webhookHours = pgTable(
  "webhook_hours",
  {
    workspaceId: text("workspace_id").notNull(),
    endpointId: text("endpoint_id").notNull(),
    /** Its beginning, in UTC. */
    hour: time("hour").notNull(),
    accepted: integer().notNull(),
    refused: integer().notNull(),
    /** When the last accepted and the last refused attempt began, and the error of the latter. */
    acceptedAt: time("accepted_at"),
    refusedAt: time("refused_at"),
    error: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.endpointId, t.hour] }),
    // Version 0.1.0 deletes endpoints and does not know this table.
    refersTo(webhookEndpoints, t.workspaceId, t.endpointId).onDelete("cascade"),
  ],
)
