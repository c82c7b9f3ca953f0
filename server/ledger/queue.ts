import { background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { batchSize } from "./fair-share.ts"
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
export async function nextWorkspace({
  mode,
  after,
  except,
}: {
  mode: Mode
  after: string
  except: readonly string[]
}): Promise<string | null> {
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
        and (o.not_before is null or o.not_before <= ${clock.now()}))
    order by line.id <= ${after}, line.id limit 1`
  return waiting[0]?.id ?? null
}

/**
 * The operations of a workspace that can run now, at most a turn's worth; with `only`, none but those. Those in
 * `signing` count as on their way. Nothing is locked: only the holder of the workspace's lease asks, and an operation
 * that changes before it is saved is not saved.
 */
export async function claim(
  workspaceId: string,
  { signing, only }: { signing: readonly Unfinished[]; only: ReadonlySet<string> | null },
): Promise<OperationRow[]> {
  // Whoever changes the workspace's configurations, or gives it a turn in the way of the version before, goes first.
  const free = await sql`select from workspaces where id = ${workspaceId} for no key update skip locked`
  if (free.length === 0) return []
  const now = clock.now()
  const most = only?.size ?? batchSize(workspaceId, TURN)
  const except = signing.map(({ id }) => id)
  const unfinished: Unfinished[] = []
  let runnable: OperationRow[] = []
  for (let page = 0; page < PAGES; page++) {
    const after: bigint = unfinished.at(-1)?.seq ?? 0n
    const rows = await sql<Unfinished[]>`
      select ${sql(OPERATION_COLUMNS)}, status, not_before
      from operations
      where workspace_id = ${workspaceId} and status in ('queued', 'submitted') and seq > ${after} and not id = any(${except})
      order by seq limit ${PAGE}`
    unfinished.push(...rows)
    const queue = signing.length === 0 ? unfinished : inOrder([...signing, ...unfinished])
    runnable = pickRunnable(queue, now).filter(({ id }) => only?.has(id) ?? true)
    if (runnable.length >= most || rows.length < PAGE) break
  }
  return runnable.slice(0, most)
}

const inOrder = (queue: Unfinished[]): Unfinished[] =>
  queue.sort((one, other) => (one.seq < other.seq ? -1 : 1))

/**
 * The queued operations without an earlier conflicting one: as in Sealevel, two operations conflict when one writes
 * an account that the other reads or writes. `line` is in the order of enqueueing.
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
