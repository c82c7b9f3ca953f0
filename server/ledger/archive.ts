import { type Queryable, background as sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

// Operations and transactions that ended long ago are in separate tables that inherit from the main ones. So any
// statement that names `operations` reads them too, in every version. Check constraints on the archive let the planner
// skip it for rows that have not ended.

/** Rows moved by one statement: few enough that nothing waiting for it is delayed noticeably. */
const BATCH = 1000

/** Operations outside the archive that will not change again. */
const endedOperations = (until: Date) => sql`
  o.finished_at <= ${until} and o.status in ('confirmed', 'failed') and (o.signature is null or exists (
    select from transactions t where t.signature = o.signature
      and (t.status in ('failed', 'expired') or t.finalized_at is not null)))`

/** The same for transactions. Their cost has already been added to their operations. */
const endedTransactions = (until: Date) => sql`
  t.created_at <= ${until} and t.settled_at <= ${until} and t.wire is null
  and (t.status in ('failed', 'expired') or (t.status = 'confirmed' and t.finalized_at is not null))
  and (t.status = 'expired' or t.fee is null or t.counted_at is not null)`

/** Moves what ended by `until` to the archive. Ends early if `isStopped`. */
export async function archiveEnded(until: Date, isStopped: () => boolean): Promise<void> {
  // The order makes the planner use the index. `exists` would read the whole table when there is no match.
  const oldestOperation = sql`
    select o.finished_at from only operations o where o.workspace_id = w.id and ${endedOperations(until)}
    order by o.finished_at limit 1`
  const oldestTransaction = sql`
    select t.created_at from only transactions t where t.workspace_id = w.id and ${endedTransactions(until)}
    order by t.created_at limit 1`
  // While an old transaction of a workspace is not counted yet, the cost of its operations still changes.
  const due = await sql<{ id: string }[]>`
    select w.id from workspaces w
    where coalesce((${oldestOperation}), (${oldestTransaction})) is not null and not exists (
      select from only transactions t where t.workspace_id = w.id and t.mode = w.mode
        and t.status in ('confirmed', 'failed') and t.fee is not null and t.counted_at is null and t.settled_at <= ${until})`
  for (const { id } of due) {
    let moved: number
    do {
      if (isStopped()) return
      moved = await moveBatch(id, until)
    } while (moved > 0)
  }
}

/**
 * Moves some rows of a workspace and returns how many. One statement for each table, so a row is always in exactly one
 * place. It waits for no lock: what is locked is left for the next time.
 */
async function moveBatch(workspaceId: string, until: Date): Promise<number> {
  const held = sql`held as (select from workspaces where id = ${workspaceId} for no key update skip locked)`
  const operations = await sql`
    with ${held}, old as (
      select o.id from only operations o where exists (select from held) and o.workspace_id = ${workspaceId} and ${endedOperations(until)}
      order by o.finished_at limit ${BATCH} for update of o skip locked
    ), gone as (
      delete from only operations o using old where o.workspace_id = ${workspaceId} and o.id = old.id returning o.*
    )
    insert into archived_operations select * from gone`
  const transactions = await sql`
    with ${held}, old as (
      select t.signature from only transactions t where exists (select from held) and t.workspace_id = ${workspaceId} and ${endedTransactions(until)}
      order by t.created_at limit ${BATCH} for update of t skip locked
    ), gone as (
      delete from only transactions t using old where t.signature = old.signature returning t.*
    )
    insert into archived_transactions select * from gone`
  return operations.count + transactions.count
}

/** Keeps the workspace's rows in place until the transaction ends, because an update misses a row being moved. */
export const holdArchive = (sql: Queryable, workspaceId: string) =>
  sql`select from workspaces where id = ${workspaceId} for share`

/** Moves a transaction back out of the archive, so that it is followed again. */
export const takeFromArchive = (sql: Queryable, signature: string) => sql`
  with back as (delete from archived_transactions where signature = ${signature} returning *)
  insert into transactions select * from back`

/** How many days before the limit a sweep looks back, in case earlier sweeps did not run. */
const LOOK_BACK_DAYS = 7
const DROP_BATCH = 5000

let hasLookedBack = false

/** Drops the bytes of old transactions that have ended. A process's first sweep reads all of them. */
export async function dropOldBytes(now: Date): Promise<void> {
  const until = addDays(now, -keptDays.transactionBytes)
  const since = hasLookedBack ? addDays(until, -LOOK_BACK_DAYS) : new Date(0)
  let dropped: number
  do {
    const { count } = await sql`
      update transactions set wire = null where signature in (
        select signature from transactions
        where created_at > ${since} and created_at <= ${until} and wire is not null
          and (finalized_at is not null or status in ('failed', 'expired'))
        limit ${DROP_BATCH})`
    dropped = count
  } while (dropped === DROP_BATCH)
  hasLookedBack = true
}
