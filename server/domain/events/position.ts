import { z } from "zod"
import type { Queryable, Transaction } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { serverRun } from "#server/ledger/index.ts"
import { fail } from "#shared/errors.ts"

// A restored database, or a standby that took over, may lack events that readers have, and assign their sequence
// numbers again. So each event carries the generation in which it got its number, and a generation ends with the run of
// the database server. A plain restart also begins one, which costs a row and goes unnoticed by readers.

/** The generation of a cursor before all events that are kept. */
const FIRST_GENERATION = "first"

export const cursorPattern = /^(0|[1-9][0-9]{0,14}-[0-9a-z]{1,16})$/

export const toCursor = ({ sequence, generation }: { sequence: bigint | number; generation: string }) =>
  `${sequence}-${generation}`

/** The generation in which numbers are assigned now: a new one if another server run assigned the last number. */
export async function currentGeneration(sql: Transaction): Promise<string> {
  const { id } = only(
    await sql<{ id: string }[]>`
      with latest as (select id, run from event_generations order by seq desc limit 1),
      begun as (
        insert into event_generations (run)
        select ${serverRun(sql)} where not exists (select from latest where run = ${serverRun(sql)}) returning id
      )
      select coalesce((select id from begun), (select id from latest)) as id`,
  )
  return id
}

/** A reader's position: the cursor of its last event, or only its sequence number. `0` is before the first event. */
export type Position = { cursor: string } | { after: number }

export const eventCursor = z.string().regex(cursorPattern, "must be the cursor of an event, or last_cursor")

/** Null before the first event, which has no generation. */
function readCursor(cursor: string): { sequence: number; generation: string | null } {
  const [sequence, generation = null] = cursor.split("-")
  return { sequence: Number(sequence), generation }
}

export const sequenceOf = (position: Position): number =>
  "after" in position ? position.after : readCursor(position.cursor).sequence

/**
 * Refuses a position from which events would be missed, and returns the workspace's last sequence number. Errors:
 * events_expired if some events after the position are no longer kept, events_rewound if this database lacks the event
 * of a cursor, validation_failed if `after` is beyond the workspace's last event.
 */
export async function checkPosition(
  sql: Queryable,
  workspaceId: string,
  position: Position | null,
): Promise<{ last_sequence: number; last_cursor: string }> {
  const [{ last, dropped, generation } = { last: 0n, dropped: 0n, generation: null }] = await sql<
    { last: bigint; dropped: bigint; generation: string | null }[]
  >`
    select c.last, c.dropped, coalesce(e.generation, (select id from event_generations order by seq desc limit 1)) as generation
    from event_counters c left join events e on e.workspace_id = c.workspace_id and e.sequence = c.last
    where c.workspace_id = ${workspaceId}`
  if (position !== null) {
    if ("cursor" in position) {
      const resume = await resumeCursor(sql, workspaceId, readCursor(position.cursor))
      if (resume !== null) {
        fail(
          "events_rewound",
          `cursor: the database was restored or another server took over, and it lacks events up to yours. Continue with cursor=${resume}, and skip events whose id you already have.`,
          { headers: { "Resume-Cursor": resume } },
        )
      }
    } else if (position.after > last) {
      fail(
        "validation_failed",
        `after: this workspace's last event is ${last}. If yours was later, the database was restored from a backup: continue from ${last}, and compare the events' ids.`,
      )
    }
    if (sequenceOf(position) < dropped) {
      const name = "cursor" in position ? "cursor" : "after"
      fail(
        "events_expired",
        `${name}: events up to ${dropped} are no longer kept. Continue with after=${dropped}, and read what you missed from the lists.`,
      )
    }
  }
  return {
    last_sequence: Number(last),
    last_cursor: last === 0n ? "0" : toCursor({ sequence: last, generation: generation ?? FIRST_GENERATION }),
  }
}

/** The cursor that a response with `events_rewound` names. A stored response has only its body. */
export const resumeCursorIn = (body: string): string | null => /cursor=([0-9a-z-]+)/.exec(body)?.[1] ?? null

/**
 * Null if this database has the reader's last event. Otherwise the cursor to continue from: the last event that the
 * reader's generation shares with this one, or the beginning if the generation is unknown here.
 */
async function resumeCursor(
  sql: Queryable,
  workspaceId: string,
  { sequence, generation }: { sequence: number; generation: string | null },
): Promise<string | null> {
  if (sequence === 0) return null
  const [{ dropped, known } = { dropped: 0n, known: null }] = await sql<{ dropped: bigint; known: string | null }[]>`
    select c.dropped,
      (select e.generation from events e where e.workspace_id = c.workspace_id and e.sequence = ${sequence}) as known
    from event_counters c where c.workspace_id = ${workspaceId}`
  if (known === generation || (known === null && BigInt(sequence) <= dropped)) return null
  const shared = await lastShared(sql, workspaceId, { sequence, generation })
  return shared ?? (dropped === 0n ? "0" : toCursor({ sequence: dropped, generation: FIRST_GENERATION }))
}

/**
 * The cursor of the last event up to a sequence number that is of this generation or an earlier one. Generations only
 * increase with the sequence, so a binary search finds it. A linear search would read all events for an unknown
 * generation.
 */
async function lastShared(
  sql: Queryable,
  workspaceId: string,
  { sequence, generation }: { sequence: number; generation: string | null },
): Promise<string | null> {
  const [found] = await sql<{ cursor: string }[]>`
    with recursive search (low, high) as (
      select c.dropped, least(c.last, ${sequence}) from event_counters c where c.workspace_id = ${workspaceId}
      union all
      select case when shared then middle else low end, case when shared then high else middle - 1 end
      from search cross join lateral (select (low + high + 1) / 2 as middle) as halves cross join lateral (
        select exists (select from events e where e.workspace_id = ${workspaceId} and e.sequence = middle
          and (e.generation = ${generation} or exists (
            select from event_generations own where own.id = ${generation} and exists (
              select from event_generations earlier where earlier.id = e.generation and earlier.seq <= own.seq)))) as shared
      ) as compared
      where low < high
    )
    select e.sequence || '-' || e.generation as cursor
    from search s join events e on e.workspace_id = ${workspaceId} and e.sequence = s.low where s.low >= s.high
      and s.low > (select dropped from event_counters where workspace_id = ${workspaceId})`
  return found?.cursor ?? null
}
