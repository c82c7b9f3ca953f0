import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { inTime, type TimeFilter } from "#db/seq-at.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { EventType } from "#shared/event-types.ts"
import type { EventRecord } from "./event-record.ts"
import { checkPosition, type Position, sequenceOf, toCursor } from "./position.ts"

export const eventColumns = columns("events", "sequence, generation, id, type, data, occurred_at")

export const toEventRecord = (row: RowOf<typeof eventColumns>): EventRecord => ({
  id: row.id,
  sequence: Number(row.sequence),
  cursor: toCursor(row),
  type: row.type,
  occurred_at: toTimestamp(row.occurred_at),
  // As the triggers write it. A test checks each kind against its schema.
  data: row.data as EventRecord["data"],
})

export type EventFilter = {
  times: TimeFilter
  /** The last event that the reader has; null to start at the first event that is kept. */
  position: Position | null
  type: EventType | null
  limit: number
}

/** Events in order. Errors: those of `checkPosition`. */
export async function listEvents(
  workspaceId: string,
  { position, type, times, limit }: EventFilter,
): Promise<{ data: EventRecord[]; last_sequence: number; last_cursor: string }> {
  const after = position && sequenceOf(position)
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
  // Read after the events, so that a reader cannot silently miss events that were dropped or changed by a failover in
  // the meantime.
  return { ...(await checkPosition(sql, workspaceId, position)), data: rows.map(toEventRecord) }
}

/** Served by the primary key. */
export const eventsOf = (workspaceId: string) => ({
  rows: () => sql`events where workspace_id = ${workspaceId}`,
  seq: "sequence",
  at: "occurred_at",
  newestFirst: () => sql`sequence desc`,
})
