import { backgroundShort as short, background as sql } from "#db/client.ts"
import { qualified } from "#db/rows.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import { batchSize } from "./fair-share.ts"
import { OPERATION_COLUMNS, type OperationRow, type Unfinished } from "./operation.ts"

/** Operations of one workspace in one batch: enough to fill a few transactions, few enough to be fair. */
export const BATCH = { least: 8, most: 64 }
/** Unfinished operations of a workspace's queue that are read at once. */
const PAGE = 128
/** How far down its queue to search for operations that can run. */
const PAGES = 32

/** The workspace chosen for the next batch, its fee payer, and whether only urgent operations run. */
export type Next = { workspaceId: string; feePayer: Address; isUrgent: boolean }

export type Payers = {
  /** Pays for workspaces without their own fee payer. */
  own: Address
  /** These pay only for urgent operations. */
  low: readonly Address[]
  /** These cannot pay a fee. */
  empty: readonly Address[]
}

/** The recursive query `busy`: workspaces with unfinished operations, then a null. It reads one entry for each. */
export const busyWorkspaces = () => sql`
  (select workspace_id as id from operations where status in ('queued', 'submitted') order by workspace_id limit 1)
  union all
  select (select o.workspace_id from operations o
    where o.status in ('queued', 'submitted') and o.workspace_id > busy.id order by o.workspace_id limit 1)
  from busy where busy.id is not null`

/**
 * The next workspace after `after`, in a circle, that has queued operations. Null if there is none. It skips along the
 * index of unfinished operations instead of reading it. It passes over workspaces in `except`, workspaces in
 * quarantine, and those whose fee payer cannot pay for what is queued.
 *
 * A workspace with urgent operations goes first, unless `urgent` is `last`; with `only`, no other is chosen. Those in
 * `blocked` keep their place in the circle. Those in `full` are chosen only for urgent operations.
 */
export async function nextWorkspace(search: {
  mode: Mode
  after: string
  except: readonly string[]
  urgent: "first" | "last" | "only"
  blocked: readonly string[]
  full: readonly string[]
  payers: Payers
}): Promise<Next | null> {
  const { mode, after, except, urgent, blocked, full, payers } = search
  const { own, low, empty } = payers
  const now = clock.now()
  const canRun = () => sql`o.status = 'queued' and (o.not_before is null or o.not_before <= ${now})`
  const isFree = sql`not exists (select from quarantines q where q.workspace_id = w.id)`
  const payer = sql`coalesce(w.fee_payer, ${own})`
  const inCircle = sql`
    select busy.id, ${payer} as payer, false as is_urgent from busy join workspaces w on w.id = busy.id
    where w.mode = ${mode} and ${isFree} and not w.id = any(${[...except, ...full]})
      and not ${payer} = any(${[...low, ...empty]}) and exists (
      select from operations o where o.workspace_id = busy.id and ${canRun()})
    order by busy.id <= ${after}, busy.id limit 1`
  const waiting = await sql<{ id: string; payer: Address; is_urgent: boolean }[]>`
    with recursive busy as (${busyWorkspaces()}), urgent as (
      select o.workspace_id as id, ${payer} as payer, true as is_urgent from operations o join workspaces w on w.id = o.workspace_id
      where o.urgent and ${canRun()} and w.mode = ${mode} and ${isFree}
        and not w.id = any(${[...except, ...(urgent === "only" ? [] : blocked)]}) and not ${payer} = any(${empty as Address[]})
      order by w.id <= ${after}, w.id limit 1
    )
    select * from (select * from urgent ${urgent === "only" ? sql`` : sql`union all (${inCircle})`}) one
    order by is_urgent ${urgent === "last" ? sql`` : sql`desc`} limit 1`
  const [next] = waiting
  return next ? { workspaceId: next.id, feePayer: next.payer, isUrgent: next.is_urgent } : null
}

/**
 * At most one batch of a workspace's operations that can run now, urgent ones first. Those in `signing` count as
 * submitted. Nothing is locked: an operation that changes before it is saved is not saved.
 */
export async function readRunnable(
  workspaceId: string,
  about: { signing: readonly Unfinished[]; only: ReadonlySet<string> | null; urgentOnly: boolean },
): Promise<OperationRow[]> {
  const { signing, only, urgentOnly } = about
  const now = clock.now()
  const most = only?.size ?? batchSize(workspaceId, BATCH)
  const except = signing.map(({ id }) => id)
  const readPage = (after: bigint) => short<Unfinished[]>`
    select ${sql(OPERATION_COLUMNS)}, status, not_before
    from operations
    where workspace_id = ${workspaceId} and status in ('queued', 'submitted') and seq > ${after} and not id = any(${except})
    order by seq limit ${PAGE}`
  const [ahead, first] = await Promise.all([readAhead(workspaceId, except), readPage(0n)])
  const isAhead = new Set(ahead.map(({ id }) => id))
  const unfinished: Unfinished[] = []
  let runnable: OperationRow[] = []
  for (let page = 0, rows = first; page < PAGES; page++) {
    unfinished.push(...rows)
    const queue = [...signing, ...ahead, ...unfinished.filter(({ id }) => !isAhead.has(id))]
    runnable = pickRunnable(queue, now).filter(
      ({ id, urgent }) => (only?.has(id) ?? true) && (urgent ? isAhead.has(id) : !urgentOnly),
    )
    if (runnable.length >= most || rows.length < PAGE || urgentOnly) break
    rows = await readPage(unfinished.at(-1)!.seq)
  }
  return runnable.slice(0, most)
}

/** Operations that go before the rest of a queue: urgent ones and, if any of those wait, submitted ones. */
async function readAhead(workspaceId: string, except: readonly string[]): Promise<Unfinished[]> {
  const urgent = await short<Unfinished[]>`
    select ${sql(OPERATION_COLUMNS)}, status, not_before
    from operations
    where workspace_id = ${workspaceId} and urgent and status in ('queued', 'submitted') and not id = any(${except as string[]})
    order by seq limit ${PAGE}`
  if (urgent.every(({ status }) => status === "submitted")) return urgent
  const underWay = await sql<Unfinished[]>`
    select ${sql(qualified("o", OPERATION_COLUMNS))}, o.status, o.not_before
    from transactions t join operations o on o.workspace_id = t.workspace_id and o.signature = t.signature
    where t.workspace_id = ${workspaceId} and t.status = 'saved' and o.status = 'submitted'
      and not o.id = any(${except as string[]}) and not o.urgent`
  return [...urgent, ...underWay]
}

/** Submitted, then urgent, then other operations, each in the order of enqueueing. */
const rankOf = ({ status, urgent }: Unfinished): number => (status === "submitted" ? 0 : urgent ? 1 : 2)

/**
 * The queued operations without a conflicting one before them. As in Sealevel, two operations conflict if one writes an
 * account that the other reads or writes. Urgent operations go before those that only wait. One that takes tokens again
 * and waits, because the chain refused it, holds up no other: it may have to wait for what the others bring.
 */
export function pickRunnable(unfinished: readonly Unfinished[], now: Date): OperationRow[] {
  const queue = [...unfinished].sort((one, other) => rankOf(one) - rankOf(other) || (one.seq < other.seq ? -1 : 1))
  const written = new Set<string>()
  const touched = new Set<string>()
  const runnable: OperationRow[] = []
  for (const operation of queue) {
    const { writes, reads, status, not_before, redo, from_wallet } = operation
    const waits = status === "queued" && not_before !== null && not_before > now
    if (redo && from_wallet !== null && waits) continue
    const free = !writes.some((account) => touched.has(account)) && !reads.some((account) => written.has(account))
    if (free && status === "queued" && !waits) runnable.push(operation)
    for (const account of writes) written.add(account)
    for (const account of [...writes, ...reads]) touched.add(account)
  }
  return runnable
}
