import {
  isDatabaseUnavailable,
  type Queryable,
  backgroundShort as short,
  background as sql,
  type Transaction,
} from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { decodeAll, type Lookup, type Operations, type Plan } from "./definition.ts"
import { type Issuer, issuerOf } from "./issuer.ts"
import type { Lease, Leases } from "./lease.ts"
import type { OperationRow, Unfinished } from "./operation.ts"
import type { Planned } from "./pack.ts"
import { readRunnable } from "./queue.ts"
import { failOperation, finishOperation } from "./settle.ts"
import { noteOperation } from "./telemetry.ts"

export type Batch = {
  chain: Chain
  kinds: Operations
  leases: Leases
  workspaceId: string
  /** Operations of the workspace that are being signed; what conflicts with them waits. */
  signing: readonly Unfinished[]
  /** What the chain says about operations that need it to be planned. If set, only those are planned. */
  facts: Facts | null
  urgentOnly: boolean
}

export type PlannedBatch = {
  lease: Lease
  /** The issuer at planning time. It may have changed when the batch is signed. */
  issuer: Issuer
  planned: Planned[]
  ended: boolean
  /** Operations still in the queue, because the chain has to be read for them first. */
  toLookUp: OperationRow[]
}

/**
 * The first part of one workspace's batch: takes its lease, finds what can run and plans it. Null if another worker has
 * the workspace. It reads only the database and locks nothing: when the transaction is saved (`save.ts`), the
 * lease's version from before the first read shows whether the plan still holds.
 */
export async function planBatch(batch: Batch): Promise<PlannedBatch | null> {
  const { chain, kinds, leases, workspaceId, signing, facts, urgentOnly } = batch
  const read = () => readRunnable(workspaceId, { signing, only: facts?.of ?? null, urgentOnly })
  const [taken, early] = await Promise.all([leases.take(workspaceId), leases.mayHold(workspaceId) ? read() : null])
  if (!taken) return null
  const { lease, isNew } = taken
  // Another worker may have changed what was read before the lease was taken.
  const operations = early === null || isNew ? await read() : early
  const issuer = await issuerOf(chain, lease)
  if (operations.length === 0) return { lease, issuer, planned: [], ended: false, toLookUp: [] }
  const { planned, toLookUp, toEnd } = sortPlans(operations, await planAll(operations, { kinds, issuer, facts }))
  return { lease, issuer, planned, toLookUp, ended: await endUnsent(lease, kinds, toEnd) }
}

/** How long to pause an operation that cannot be planned, or cannot end as planned. */
const POSTPONE_SECONDS = 10

const DEFER_SECONDS = 1

/** What the chain says about operations, by kind. */
export type Facts = { of: ReadonlySet<string>; byKind: ReadonlyMap<string, unknown> }

/** Reads from the chain what operations need to be planned. No database transaction is open while it waits. */
export async function lookUp(at: Lookup, kinds: Operations, operations: readonly OperationRow[]): Promise<Facts> {
  const facts = kinds.byKind(operations).map(async ([definition, rows]) => {
    const found = await definition.lookUp?.(decodeAll(definition, rows), at)
    return [definition.kind, found ?? null] as const
  })
  return { of: new Set(operations.map(({ id }) => id)), byKind: new Map(await Promise.all(facts)) }
}

type PlanOutcome = Plan | { do: "hold back"; error: unknown }

/** Plans all operations of a kind together or, if that throws, each alone, so that one at fault delays no other. */
export async function planAll(
  operations: readonly OperationRow[],
  { kinds, issuer, facts }: { kinds: Operations; issuer: Issuer; facts: Facts | null },
): Promise<Map<string, PlanOutcome>> {
  const plans = new Map<string, PlanOutcome>()
  for (const [kind, group] of Map.groupBy(operations, (row) => row.kind)) {
    const known = facts?.byKind.get(kind) ?? null
    // A newer version running at the same time may have enqueued a kind that is unknown here.
    const plan = async (rows: OperationRow[]) => {
      const definition = kinds.definitionOf(kind)
      return definition.plan(short, decodeAll(definition, rows), issuer, known)
    }
    try {
      for (const [id, one] of await plan(group)) plans.set(id, one)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      for (const operation of group) {
        const alone = await plan([operation]).catch((error) => {
          if (isDatabaseUnavailable(error)) throw error
          return new Map<string, PlanOutcome>([[operation.id, { do: "hold back", error }]])
        })
        for (const [id, one] of alone) plans.set(id, one)
      }
    }
  }
  return plans
}

/** The result of planning: what must be signed, in queue order, and everything else. */
export type Sorted = {
  planned: Planned[]
  toLookUp: OperationRow[]
  toEnd: { operation: OperationRow; plan: Exclude<PlanOutcome, { do: "send" | "look up" }> }[]
}

export function sortPlans(operations: readonly OperationRow[], plans: ReadonlyMap<string, PlanOutcome>): Sorted {
  const sorted: Sorted = { planned: [], toLookUp: [], toEnd: [] }
  for (const operation of operations) {
    const plan = plans.get(operation.id)
    if (plan?.do === "send") sorted.planned.push({ operation, instructions: plan.instructions, signers: plan.signers })
    else if (plan?.do === "look up") sorted.toLookUp.push(operation)
    else if (plan) sorted.toEnd.push({ operation, plan })
  }
  return sorted
}

/**
 * Ends operations that need no transaction, if the lease is unchanged since they were planned. Returns whether any
 * ended. The lease is not locked, because callers of `voidPlans` hold locks on rows that are changed here.
 */
async function endUnsent(lease: Lease, kinds: Operations, toEnd: Sorted["toEnd"]): Promise<boolean> {
  if (toEnd.length === 0) return false
  const { workspaceId, token, version } = lease
  const ids = toEnd.map(({ operation }) => operation.id)
  const ended = await sql.begin(async (sql) => {
    const queued = await sql<{ id: string }[]>`
      select id from operations
      where workspace_id = ${workspaceId} and id = any(${ids}) and status = 'queued' and exists (
        select from ledger_leases where workspace_id = ${workspaceId} and token = ${token} and version = ${version})
      order by id for update skip locked`
    const stillQueued = new Set(queued.map((row) => row.id))
    const ended: { kind: string; outcome: "confirmed" | "failed" }[] = []
    for (const { operation, plan } of toEnd) {
      if (!stillQueued.has(operation.id)) continue
      if (plan.do === "hold back") await postpone(sql, operation, plan.error)
      // Clients were already notified that it is done.
      else if (plan.do === "fail" && operation.redo)
        await postpone(sql, operation, new Error(`it cannot be done again: ${plan.refusal.detail}`))
      else if (plan.do === "defer") await delay(sql, operation, DEFER_SECONDS)
      else if (await endByPlan(sql, kinds, operation, plan))
        ended.push({ kind: operation.kind, outcome: plan.do === "fail" ? "failed" : "confirmed" })
    }
    return ended
  })
  for (const { kind, outcome } of ended) noteOperation(kind, outcome)
  return ended.length > 0
}

/** Fails one operation, or defers it if its effect cannot be applied. The others of this batch continue. */
async function endByPlan(
  sql: Transaction,
  kinds: Operations,
  operation: OperationRow,
  plan: Extract<Plan, { do: "finish" | "fail" }>,
): Promise<boolean> {
  try {
    await sql.savepoint((sql) =>
      plan.do === "finish"
        ? finishOperation(sql, kinds, operation)
        : failOperation(sql, kinds, operation, plan.refusal),
    )
    return true
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    await postpone(sql, operation, error)
    return false
  }
}

async function postpone(sql: Queryable, operation: OperationRow, error: unknown): Promise<void> {
  const { workspace_id: workspaceId, id, kind } = operation
  const about = { err: error, workspaceId, operation: id, kind }
  logger.error(about, "an operation cannot be planned; retrying later")
  await delay(sql, operation, POSTPONE_SECONDS)
}

const delay = (sql: Queryable, { workspace_id, id }: OperationRow, seconds: number) => sql`
  update operations set not_before = ${addSeconds(clock.now(), seconds)}
  where workspace_id = ${workspace_id} and id = ${id}`
