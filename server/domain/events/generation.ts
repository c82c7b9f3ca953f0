import type { Queryable, Transaction } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { serverRun } from "#server/ledger/restore/state.ts"

// A database that was restored, or a standby that took over, may lack events that readers have, and gives their sequence
// numbers again. So each event carries the generation in which it got its number, and a generation ends with the run of the
// database's server. That a restart begins one as well costs a row: no reader notices.

/** The generation of events from before generations were recorded. */
export const FIRST_GENERATION = "first"

/** Where a reader is: the sequence number of an event, and its generation. Null stands before the first event. */
export type Position = { sequence: number; generation: string | null }

export const cursorPattern = /^(0|[1-9][0-9]{0,14}-[0-9a-z]{1,16})$/

export const toCursor = ({ sequence, generation }: { sequence: bigint | number; generation: string }) =>
  `${sequence}-${generation}`

export function readCursor(cursor: string): Position {
  const [sequence, generation = null] = cursor.split("-")
  return { sequence: Number(sequence), generation }
}

/** The generation in which numbers are given now; another one if this is not the run of the server that gave the last one. */
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

/**
 * Null if this database has the event that a reader ended with. Otherwise the cursor to read on from: of the last event that
 * the reader's generation shares with this one, or of none if the generation is not known here.
 */
export async function resumeCursor(
  sql: Queryable,
  workspaceId: string,
  { sequence, generation }: Position,
): Promise<string | null> {
  const [{ dropped, known, shared } = { dropped: 0n, known: null, shared: null }] = await sql<
    { dropped: bigint; known: string | null; shared: string | null }[]
  >`
    select c.dropped,
      (select e.generation from events e where e.workspace_id = c.workspace_id and e.sequence = ${sequence}) as known,
      (select e.sequence || '-' || e.generation from events e
        where e.workspace_id = c.workspace_id and e.sequence <= ${sequence} and (e.generation = ${generation} or exists (
          select from event_generations own where own.id = ${generation} and (e.generation = ${FIRST_GENERATION} or exists (
            select from event_generations earlier where earlier.id = e.generation and earlier.seq <= own.seq))))
        order by e.sequence desc limit 1) as shared
    from event_counters c where c.workspace_id = ${workspaceId}`
  if (sequence === 0 || known === generation || (known === null && BigInt(sequence) <= dropped)) return null
  return shared ?? (dropped === 0n ? "0" : toCursor({ sequence: dropped, generation: FIRST_GENERATION }))
}
