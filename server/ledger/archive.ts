import { type Queryable, background as sql } from "#db/client.ts"

// Operations and transactions that ended long ago lie in tables of their own, which inherit from the others: a statement
// that names `operations` has them, too, of whatever version it is. Checks on those tables say what can be in them, so that
// the planner passes over them for whatever has not ended.

/** Rows that one statement moves: few enough that whoever waits for it does not notice. */
const BATCH = 1000

/** Operations, by themselves and apart from the archive, that nothing will change any more. */
const endedOperations = (until: Date) => sql`
  o.finished_at <= ${until} and o.status in ('confirmed', 'failed') and (o.signature is null or exists (
    select from transactions t where t.signature = o.signature
      and (t.status in ('failed', 'expired') or t.finalized_at is not null)))`

/** The same for transactions. What one cost has been added to its operations by then. */
const endedTransactions = (until: Date) => sql`
  t.created_at <= ${until} and t.settled_at <= ${until} and t.wire is null
  and (t.status in ('failed', 'expired') or (t.status = 'confirmed' and t.finalized_at is not null))
  and (t.status = 'expired' or t.fee is null or t.counted_at is not null)`

/** Moves to the archive what ended by `until`, until it is all there, or `isStopped`. */
export async function archiveEnded(until: Date, isStopped: () => boolean): Promise<void> {
  // The order makes it go by the index: `exists` would read all of a table where there is none.
  const oldestOperation = sql`
    select o.finished_at from only operations o where o.workspace_id = w.id and ${endedOperations(until)}
    order by o.finished_at limit 1`
  const oldestTransaction = sql`
    select t.created_at from only transactions t where t.workspace_id = w.id and ${endedTransactions(until)}
    order by t.created_at limit 1`
  // Of a workspace where an old transaction is still to be counted, what its operations cost changes.
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
 * Moves some rows of a workspace, and returns how many. One statement for each table: a row is in one of two places at any moment. It
 * waits for nobody: rows that somebody has locked stay for the next time, as does a workspace in which another one moves.
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

/**
 * Nothing of a workspace is moved until the caller's transaction ends. For a change of what may be in the archive: a
 * statement that finds a row just moved would pass over it.
 */
export const holdArchive = (sql: Queryable, workspaceId: string) =>
  sql`select from workspaces where id = ${workspaceId} for share`

/** Takes a transaction back, to be followed again. */
export const takeFromArchive = (sql: Queryable, signature: string) => sql`
  with back as (delete from archived_transactions where signature = ${signature} returning *)
  insert into transactions select * from back`
