import type { Queryable } from "#db/client.ts"
import type { Mode } from "#shared/mode.ts"
import { stepFor } from "./callers.ts"
import { OPERATION_COLUMNS, type OperationRow, type Unfinished } from "./operation.ts"

/** Operations of one workspace that leave in one turn: enough to fill a few transactions, few enough to be fair. */
export const TURN = { least: 8, most: 64 }
/** Unfinished operations that one look at a workspace's line takes in. */
const PAGE = 128
/** How far down its line a turn looks for operations that can run. */
const PAGES = 32

/**
 * The workspace whose turn it is: the next one, in a circle after `after`, that has something queued. Null when
 * none has. Workspaces are found by hopping along the index of unfinished operations, not by reading it. Those in
 * `except` are passed over.
 */
export async function nextWorkspace(
  sql: Queryable,
  { mode, after, now, except }: { mode: Mode; after: string; now: Date; except: readonly string[] },
): Promise<string | null> {
  const waiting = await sql<{ id: string }[]>`
    with recursive line as (
      (select workspace_id as id from operations where status in ('queued', 'submitted') order by workspace_id limit 1)
      union all
      select (select o.workspace_id from operations o
        where o.status in ('queued', 'submitted') and o.workspace_id > line.id order by o.workspace_id limit 1)
      from line where line.id is not null
    )
    select line.id from line join workspaces w on w.id = line.id
    where w.mode = ${mode} and not w.id = any(${except as string[]}) and exists (
      select from operations o where o.workspace_id = line.id and o.status = 'queued'
        and (o.not_before is null or o.not_before <= ${now}))
    order by line.id <= ${after}, line.id limit 1`
  return waiting[0]?.id ?? null
}

/**
 * Claims the operations of a workspace that can run now, at most a turn's worth. The claim is a row lock: it holds until
 * the caller's transaction ends, and a caller that dies lets go of it. With `only`, none but those. Empty when another
 * worker has the turn.
 */
export async function claim(
  sql: Queryable,
  workspaceId: string,
  { now, only = null }: { now: Date; only?: ReadonlySet<string> | null },
): Promise<OperationRow[]> {
  const turn = await sql`select id from workspaces where id = ${workspaceId} for no key update skip locked`
  if (turn.length === 0) return []
  const most = only?.size ?? stepFor(workspaceId, TURN)
  const unfinished: Unfinished[] = []
  let runnable: OperationRow[] = []
  for (let page = 0; page < PAGES; page++) {
    const after: bigint = unfinished.at(-1)?.seq ?? 0n
    const rows = await sql<Unfinished[]>`
      select ${sql(OPERATION_COLUMNS)}, status, not_before
      from operations
      where workspace_id = ${workspaceId} and status in ('queued', 'submitted') and seq > ${after}
      order by seq limit ${PAGE}`
    unfinished.push(...rows)
    runnable = pickRunnable(unfinished, now).filter(({ id }) => only?.has(id) ?? true)
    if (runnable.length >= most || rows.length < PAGE) break
  }
  if (runnable.length === 0) return []
  const ids = runnable.slice(0, most).map((operation) => operation.id)
  // Cancelled in this instant? Then it is not queued any more, and stays behind.
  const locked = await sql<{ id: string }[]>`
    select id from operations where workspace_id = ${workspaceId} and id = any(${ids}) and status = 'queued'
    for update skip locked`
  const claimed = new Set(locked.map((row) => row.id))
  return runnable.filter((operation) => claimed.has(operation.id))
}

/**
 * The queued operations that nothing before them stands in the way of: as in Sealevel, two operations conflict
 * when one writes an account that the other reads or writes. `line` is in the order of enqueueing.
 */
export function pickRunnable(line: readonly Unfinished[], now: Date): OperationRow[] {
  const written = new Set<string>()
  const touched = new Set<string>()
  const runnable: OperationRow[] = []
  for (const operation of line) {
    const { writes, reads, status, not_before } = operation
    const free =
      !writes.some((account) => touched.has(account)) && !reads.some((account) => written.has(account))
    if (free && status === "queued" && (not_before === null || not_before <= now)) runnable.push(operation)
    for (const account of writes) written.add(account)
    for (const account of [...writes, ...reads]) touched.add(account)
  }
  return runnable
}
