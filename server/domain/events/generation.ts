import type { Transaction } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { serverRun } from "#server/ledger/index.ts"

// A restored database, or a standby that took over, may lack events that readers have, and assign their sequence
// numbers again. So each event carries the generation in which it got its number, and a generation ends with the run of
// the database server. A plain restart also begins one, which costs a row and goes unnoticed by readers.

/** The generation of a cursor before all events that are kept. */
export const FIRST_GENERATION = "first"

export const cursorPattern = /^(0|[1-9][0-9]{0,14}-[0-9a-z]{1,16})$/

export const toCursor = ({ sequence, generation }: { sequence: bigint | number; generation: string }) =>
  `${sequence}-${generation}`

/**
 * The generation in which numbers are assigned now. It is a new one if this is not the server run that assigned the
 * last number.
 */
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
