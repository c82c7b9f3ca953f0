import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { inTime, type TimeFilter } from "#db/seq-at.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { EventType } from "#shared/event-types.ts"
import type { EventRecord } from "./event-record.ts"

export const eventColumns = columns("events", "sequence", "id", "type", "data", "occurred_at")

export const toEventRecord = (row: RowOf<typeof eventColumns>): EventRecord => ({
  id: row.id,
  sequence: Number(row.sequence),
  type: row.type,
  occurred_at: toTimestamp(row.occurred_at),
  // As the triggers write it; a test holds each kind against its schema.
  data: row.data as EventRecord["data"],
})

export type EventFilter = {
  times: TimeFilter
  /** The last sequence number that the reader has; null for the first event that is kept. */
  after: number | null
  type: EventType | null
  limit: number
}

/**
 * Events in their order. Errors: events_expired where some after `after` are no longer kept, validation_failed where the
 * workspace has not come as far as `after`.
 */
export async function listEvents(
  workspaceId: string,
  { after, type, times, limit }: EventFilter,
): Promise<{ data: EventRecord[]; last_sequence: number }> {
  const inSpan = await inTime(eventsOf(workspaceId), times)
  const rows =
    inSpan === null
      ? []
      : await sql<RowOf<typeof eventColumns>[]>`
    select ${sql(eventColumns)} from events
    where workspace_id = ${workspaceId} and sequence > coalesce(${after}::bigint,
        (select dropped from event_counters where workspace_id = ${workspaceId}), 0)
      ${type === null ? sql`` : sql`and type = ${type}`}
      ${inSpan()}
    order by sequence limit ${limit}`
  // Read after the events: what is dropped meanwhile is not passed over.
  const [{ last, dropped } = { last: 0n, dropped: 0n }] = await sql<{ last: bigint; dropped: bigint }[]>`
    select last, dropped from event_counters where workspace_id = ${workspaceId}`
  if (after !== null && after > last) {
    fail(
      "validation_failed",
      `after: this workspace's last event is ${last}. If yours was later, the database was restored from a backup: read on from ${last}, and compare by the events' ids.`,
    )
  }
  if (after !== null && after < dropped) {
    fail(
      "events_expired",
      `after: events up to ${dropped} are no longer kept. Read on with after=${dropped}, and read what you missed with the lists.`,
    )
  }
  return { data: rows.map(toEventRecord), last_sequence: Number(last) }
}

/** By the primary key. */
export const eventsOf = (workspaceId: string) => ({
  rows: () => sql`events where workspace_id = ${workspaceId}`,
  seq: "sequence",
  at: "occurred_at",
  newestFirst: () => sql`sequence desc`,
})
