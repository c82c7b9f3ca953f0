import type { TransactionError } from "@solana/web3.js"
import { type Queryable, background as sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { qualified } from "#db/rows.ts"
import { addSeconds, clock, secondsBetween } from "#server/lib/time.ts"
import { type ProgramError, readTransactionError, type TransactionFailure } from "#server/solana/program-error.ts"
import type { Mode } from "#shared/mode.ts"
import { decodeAll, type Landing, type Operations, type Recovery } from "./definition.ts"
import { voidPlans } from "./lease.ts"
import { OPERATION_COLUMNS, type OperationRow, type Refusal } from "./operation.ts"
import { noteOperation, noteTransaction, traceConfirmed } from "./telemetry.ts"

/** Times that an operation is built again before its pauses grow. */
const QUICK_RETRIES = 3
const LONGEST_WAIT_SECONDS = 60
/** Pause before retrying what failed for lack of SOL. */
const FUNDS_WAIT_SECONDS = 5
/** How long settling waits for a lock, because other transactions wait behind it. */
const LOCK_MS = 500

const waitShortly = (sql: Queryable) => sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`

/** Writes that belong in the same commit, if this call settles it. */
type Also = (sql: Queryable) => Promise<void>

/** Settles confirmed transactions and applies their effects, in one commit. Returns how many were not settled yet. */
export async function settleConfirmed(kinds: Operations, landings: readonly Landing[], also?: Also): Promise<number> {
  if (landings.length === 0) return 0
  const { won, carried, now } = await sql.begin(async (sql) => {
    const now = clock.now()
    const winning = sql<(Landing & { mode: Mode; created_at: Date })[]>`
      update transactions t set status = 'confirmed', slot = l.slot, settled_at = ${now},
        finalized_at = case when l.is_final::boolean then ${now}::timestamptz end
      from unnest(${landings.map((one) => one.signature)}::text[], ${landings.map((one) => one.slot)}::bigint[],
        ${landings.map((one) => String(one.isFinal))}::text[]) as l(signature, slot, is_final)
      where t.signature = l.signature and t.status = 'saved'
      returning t.signature, t.slot::float8 as slot, t.finalized_at is not null as "isFinal", t.mode, t.created_at`
    // A transaction that another worker has settled has no submitted operations left.
    const carrying = sql<(OperationRow & { signature: string; traceparent: string | null; created_at: Date })[]>`
      select ${sql(qualified("o", OPERATION_COLUMNS))}, o.signature, o.traceparent, o.created_at
      from transactions t join operations o on o.workspace_id = t.workspace_id and o.signature = t.signature
      where t.signature = any(${landings.map((one) => one.signature)}) and o.status = 'submitted'
      order by o.workspace_id, o.seq`
    const [, won, all] = await Promise.all([waitShortly(sql), winning, carrying])
    const landingOf = new Map(won.map((landing) => [landing.signature, landing]))
    const carried = all.filter(({ signature }) => landingOf.has(signature))
    const landed = carried.map((row) => ({ ...row, landing: landingOf.get(row.signature)! }))
    await confirm(sql, kinds, landed, now)
    if (won.length > 0) await also?.(sql)
    return { won, carried, now }
  })
  for (const { mode, created_at } of won) noteTransaction(mode, "confirmed", secondsBetween(created_at, now))
  for (const { kind, created_at } of carried) noteOperation(kind, "confirmed", secondsBetween(created_at, now))
  traceConfirmed(won, carried, now)
  for (const workspaceId of new Set(carried.map((one) => one.workspace_id))) publishActivity(workspaceId)
  return won.length
}

/** Ends an operation whose effect needs no transaction or is already on chain. */
export const finishOperation = (sql: Queryable, kinds: Operations, row: OperationRow): Promise<void> =>
  confirm(sql, kinds, [{ ...row, landing: null }], clock.now())

type Ended = OperationRow & { landing: Landing | null }

async function confirm(sql: Queryable, kinds: Operations, ended: Ended[], now: Date): Promise<void> {
  for (const [workspaceId, ofWorkspace] of Map.groupBy(ended, (row) => row.workspace_id)) {
    for (const [definition, rows] of kinds.byKind(ofWorkspace)) {
      const settled = decodeAll(definition, rows).map((one, i) => ({ ...one, landing: rows[i]!.landing }))
      const again = settled.filter(({ redo }) => redo)
      const first = settled.filter(({ redo }) => !redo)
      if (first.length > 0) await definition.settle?.(sql, first, workspaceId)
      if (again.length > 0) await definition.settleAgain?.(sql, again, workspaceId)
    }
    await sql`
      update operations
      set status = 'confirmed', finished_at = ${now}, redo = false, error_code = null, error_detail = null
      where workspace_id = ${workspaceId} and id = any(${ofWorkspace.map(({ id }) => id)})`
  }
}

/** Ends an operation without its effect, and releases what it held. */
export async function failOperation(
  sql: Queryable,
  kinds: Operations,
  operation: OperationRow,
  { code, detail }: Refusal,
): Promise<void> {
  const { workspace_id: workspaceId, id, kind } = operation
  const definition = kinds.definitionOf(kind)
  await definition.release?.(sql, decodeAll(definition, [operation]), workspaceId)
  await sql`
    update operations set status = 'failed', finished_at = ${clock.now()}, error_code = ${code}, error_detail = ${detail}
    where workspace_id = ${workspaceId} and id = ${id}`
}

type SavedRow = { workspace_id: string; mode: Mode; layout: [string, number][]; head: number }

/** Ends a transaction without effect. Only one caller gets the row; the others get null. */
async function endTransaction(
  sql: Queryable,
  signature: string,
  end: { status: "failed" | "expired"; slot: number | null; error: TransactionError | null },
): Promise<SavedRow | null> {
  const [row] = await sql<SavedRow[]>`
    update transactions
    set status = ${end.status}, slot = ${end.slot}, error = ${end.error === null ? null : sql.json(end.error as never)},
      settled_at = ${clock.now()}
    where signature = ${signature} and status = 'saved' returning workspace_id, mode, layout, head`
  return row ?? null
}

/**
 * Ends a transaction that can no longer land: its operations go back to the queue and are signed again. The caller has
 * proven that it cannot land (`evidence.ts`). Returns false if it was already settled.
 */
export async function settleExpired(signature: string, also?: Also): Promise<boolean> {
  const row = await sql.begin(async (sql) => {
    await waitShortly(sql)
    const row = await endTransaction(sql, signature, { status: "expired", slot: null, error: null })
    if (!row) return null
    await sql`
      update operations set status = 'queued', signature = null, expiries = expiries + 1
      where workspace_id = ${row.workspace_id} and signature = ${signature} and status = 'submitted'`
    await also?.(sql)
    return row
  })
  if (row) {
    noteTransaction(row.mode, "expired")
    publishActivity(row.workspace_id)
  }
  return row !== null
}

/**
 * Ends a transaction that landed and failed, so that nothing of it took effect. The kind of the operation at fault
 * decides what happens to that operation. The others are built again, each without any other.
 */
export async function settleFailed(
  kinds: Operations,
  { signature, slot, error }: { signature: string; slot: number; error: TransactionError },
): Promise<void> {
  const ended = await sql.begin(async (sql) => {
    await waitShortly(sql)
    const row = await endTransaction(sql, signature, { status: "failed", slot, error })
    if (!row) return null
    const operations = await sql<OperationRow[]>`
      select ${sql(OPERATION_COLUMNS)} from operations
      where workspace_id = ${row.workspace_id} and signature = ${signature} and status = 'submitted' order by seq`
    const failure = readTransactionError(error)
    const blamed = blame(failure, row, operations)
    const others = operations.filter((operation) => operation !== blamed?.operation)
    const recovery = blamed && recover(kinds, blamed)
    const refusal = recovery?.do === "fail" && !blamed?.operation.redo ? recovery.refusal : null
    if (blamed && refusal) await failOperation(sql, kinds, blamed.operation, refusal)
    else if (blamed && recovery?.do === "finish") await finishOperation(sql, kinds, blamed.operation)
    else if (blamed && recovery?.do === "wait")
      await requeue(sql, [blamed.operation], { waitSeconds: FUNDS_WAIT_SECONDS })
    else if (blamed) await requeueBlamed(sql, blamed)
    // From now on each gets its own transaction: if no instruction is at fault, to find out which one is, and otherwise
    // so that the next operation at fault delays none of them again. Funds are missing for all alike.
    await requeue(sql, others, {
      waitSeconds: failure.kind === "funds" ? FUNDS_WAIT_SECONDS : 0,
      alone: failure.kind === "other" || (recovery !== null && recovery.do !== "wait"),
    })
    return { ...row, refused: refusal ? blamed?.operation.kind : undefined }
  })
  if (!ended) return
  noteTransaction(ended.mode, "failed")
  if (ended.refused !== undefined) noteOperation(ended.refused, "failed")
  publishActivity(ended.workspace_id)
}

type Blamed = { operation: OperationRow; instruction: number; error: ProgramError }

/** The operation whose instruction failed; null for the compute budget's instructions and other failures. */
function blame(failure: TransactionFailure, row: SavedRow, operations: OperationRow[]): Blamed | null {
  if (failure.kind !== "instruction") return null
  let first = row.head
  for (const [id, count] of row.layout) {
    if (failure.index >= first && failure.index < first + count) {
      const operation = operations.find((one) => one.id === id)
      return operation ? { operation, instruction: failure.index - first, error: failure.error } : null
    }
    first += count
  }
  return null
}

function recover(kinds: Operations, { operation, instruction, error }: Blamed): Recovery {
  const definition = kinds.definitionOf(operation.kind)
  return definition.recover(error, decodeAll(definition, [operation])[0]!, instruction)
}

/** Puts the operation back in the queue, to get its own transaction. After a few quick tries, its pause doubles. */
async function requeueBlamed(sql: Queryable, { operation, error }: Blamed): Promise<void> {
  const attempts = operation.attempts + 1
  const wait = attempts <= QUICK_RETRIES ? 0 : Math.min(2 ** (attempts - QUICK_RETRIES), LONGEST_WAIT_SECONDS)
  await sql`
    update operations set status = 'queued', signature = null, alone = true, attempts = ${attempts},
      not_before = ${addSeconds(clock.now(), wait)}, error_detail = ${`chain error ${error.custom ?? error.name}`}
    where workspace_id = ${operation.workspace_id} and id = ${operation.id} and status = 'submitted'`
}

/** Puts operations that were not at fault back in the queue. */
async function requeue(
  sql: Queryable,
  operations: OperationRow[],
  { waitSeconds, alone = false }: { waitSeconds: number; alone?: boolean },
): Promise<void> {
  if (operations.length === 0) return
  await sql`
    update operations set status = 'queued', signature = null, alone = alone or ${alone},
      not_before = ${waitSeconds > 0 ? addSeconds(clock.now(), waitSeconds) : null}
    where workspace_id = ${operations[0]!.workspace_id} and id = any(${operations.map(({ id }) => id)}) and status = 'submitted'`
}

export type Final = { signature: string; slot: number }

export async function settleFinalized(final: readonly Final[]): Promise<void> {
  if (final.length === 0) return
  const rows = await sql<{ workspace_id: string }[]>`
    update transactions t set finalized_at = ${clock.now()}, slot = f.slot
    from unnest(${final.map((one) => one.signature)}::text[], ${final.map((one) => one.slot)}::bigint[])
      as f(signature, slot)
    where t.signature = f.signature and t.status = 'confirmed' and t.finalized_at is null
    returning t.workspace_id`
  for (const workspaceId of new Set(rows.map((row) => row.workspace_id))) publishActivity(workspaceId)
}

/**
 * Ends a confirmed transaction that vanished from the chain and can no longer land: its operations are queued again.
 * Their effects on the domain stay, because clients were already notified that they are done. Returns their ids; none
 * if another worker was first. The caller has proven that it cannot land (`finality.ts`).
 */
export async function settleVanished(signature: string): Promise<string[]> {
  const ended = await sql.begin(async (sql) => {
    const [row] = await sql<{ workspace_id: string }[]>`
      update transactions set status = 'expired', slot = null, settled_at = ${clock.now()}
      where signature = ${signature} and status = 'confirmed' and finalized_at is null returning workspace_id`
    if (!row) return null
    const { workspace_id } = row
    // What is being signed was planned on a fork that is gone.
    await voidPlans(sql, workspace_id)
    const operations = await sql<{ id: string }[]>`
      update operations set status = 'queued', signature = null, finished_at = null, redo = true, not_before = null
      where workspace_id = ${workspace_id} and signature = ${signature} and status = 'confirmed' returning id`
    return { workspace_id, ids: operations.map(({ id }) => id) }
  })
  if (!ended) return []
  publishActivity(ended.workspace_id)
  return ended.ids
}
