import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { inTime, type TimeFilter } from "#db/seq-at.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { EventType } from "#shared/event-types.ts"
import type { EventRecord } from "./event-record.ts"
import { FIRST_GENERATION, type Position, resumeCursor, toCursor } from "./generation.ts"

export const eventColumns = columns("events", "sequence", "generation", "id", "type", "data", "occurred_at")

export const toEventRecord = (row: RowOf<typeof eventColumns>): EventRecord => ({
  id: row.id,
  sequence: Number(row.sequence),
  cursor: toCursor(row),
  type: row.type,
  occurred_at: toTimestamp(row.occurred_at),
  // As the triggers write it; a test holds each kind against its schema.
  data: row.data as EventRecord["data"],
})

export type EventFilter = {
  times: TimeFilter
  /** The last sequence number that the reader has; null for the first event that is kept. */
  after: number | null
  /** The last event that the reader has, by its cursor; instead of `after`. */
  position: Position | null
  type: EventType | null
  limit: number
}

/**
 * Events in their order. Errors: events_expired if some after the reader's last are no longer kept, events_rewound if its last
 * event is not in this database, validation_failed if the workspace has not come as far as `after`.
 */
export async function listEvents(
  workspaceId: string,
  { after: number, position, type, times, limit }: EventFilter,
): Promise<{ data: EventRecord[]; last_sequence: number; last_cursor: string }> {
  const [after, name] = position ? [position.sequence, "cursor"] : [number, "after"]
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
  const [{ last, dropped, generation } = { last: 0n, dropped: 0n, generation: null }] = await sql<
    { last: bigint; dropped: bigint; generation: string | null }[]
  >`
    select c.last, c.dropped, coalesce(e.generation, (select id from event_generations order by seq desc limit 1)) as generation
    from event_counters c left join events e on e.workspace_id = c.workspace_id and e.sequence = c.last
    where c.workspace_id = ${workspaceId}`
  // Read after the events as well: what a failover in between changed is refused.
  const resume = position && (await resumeCursor(sql, workspaceId, position))
  if (resume !== null) {
    fail(
      "events_rewound",
      `cursor: the database was restored or another server took over, and it lacks events up to yours. Read on with cursor=${resume}, and drop events whose id you have.`,
      { headers: { "Resume-Cursor": resume } },
    )
  }
  if (after !== null && after > last) {
    fail(
      "validation_failed",
      `after: this workspace's last event is ${last}. If yours was later, the database was restored from a backup: read on from ${last}, and compare by the events' ids.`,
    )
  }
  if (after !== null && after < dropped) {
    fail(
      "events_expired",
      `${name}: events up to ${dropped} are no longer kept. Read on with after=${dropped}, and read what you missed with the lists.`,
    )
  }
  return {
    data: rows.map(toEventRecord),
    last_sequence: Number(last),
    last_cursor: last === 0n ? "0" : toCursor({ sequence: last, generation: generation ?? FIRST_GENERATION }),
  }
}

/** By the primary key. */
export const eventsOf = (workspaceId: string) => ({
  rows: () => sql`events where workspace_id = ${workspaceId}`,
  seq: "sequence",
  at: "occurred_at",
  newestFirst: () => sql`sequence desc`,
})
