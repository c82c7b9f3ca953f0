import { isDatabaseUnavailable, type Queryable, background as sql, type Transaction } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { decodeAll, type Operations, type Plan } from "./definition.ts"
import type { Issuer } from "./issuer.ts"
import type { Lease } from "./lease.ts"
import { noteOperation } from "./metrics.ts"
import type { OperationRow } from "./operation.ts"
import type { Planned } from "./pack.ts"
import { failOperations, finishOperations } from "./settle.ts"

/** How long an operation is left alone that cannot be planned, or that cannot end as planned. */
const HOLD_BACK_SECONDS = 10

/** How long one is left alone that something else has to come before. */
const DEFER_SECONDS = 1

/** What the chain says of operations, by their kind. */
export type Facts = { of: ReadonlySet<string>; byKind: ReadonlyMap<string, unknown> }

/** Asks the chain what operations cannot be planned without. No transaction of the database is open meanwhile. */
export async function lookUp(
  chain: Chain,
  workspaceId: string,
  { kinds, operations }: { kinds: Operations; operations: readonly OperationRow[] },
): Promise<Facts> {
  const facts = kinds
    .byKind(operations, (row) => row)
    .map(async ([definition, rows]) => {
      const found = await definition.look?.(decodeAll(definition, rows), { workspaceId, chain })
      return [definition.kind, found ?? null] as const
    })
  return { of: new Set(operations.map(({ id }) => id)), byKind: new Map(await Promise.all(facts)) }
}

/** What becomes of an operation in this turn. */
type PlanOutcome = Plan | { do: "hold back"; error: unknown }

/**
 * Plans all operations of a kind together. Where that throws, something is wrong with one of them: each is planned by
 * itself then, so that it holds up no other.
 */
export async function planAll(
  operations: readonly OperationRow[],
  { kinds, issuer, facts }: { kinds: Operations; issuer: Issuer; facts: Facts | null },
): Promise<Map<string, PlanOutcome>> {
  const plans = new Map<string, PlanOutcome>()
  for (const [kind, group] of Map.groupBy(operations, (row) => row.kind)) {
    const known = facts?.byKind.get(kind) ?? null
    // A newer version beside this one may have enqueued a kind that is not known here.
    const plan = async (rows: OperationRow[]) => {
      const definition = kinds.definitionOf(kind)
      return definition.plan(sql, decodeAll(definition, rows), issuer, known)
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

/** What plans come to: what has to be signed, in the order of the queue, and everything else. */
export type Sorted = {
  planned: Planned[]
  toLookUp: OperationRow[]
  toEnd: { operation: OperationRow; plan: Exclude<PlanOutcome, { do: "send" | "look" }> }[]
}

export function sortPlans(
  operations: readonly OperationRow[],
  plans: ReadonlyMap<string, PlanOutcome>,
): Sorted {
  const sorted: Sorted = { planned: [], toLookUp: [], toEnd: [] }
  for (const operation of operations) {
    const plan = plans.get(operation.id)
    if (plan?.do === "send")
      sorted.planned.push({ operation, instructions: plan.instructions, signers: plan.signers })
    else if (plan?.do === "look") sorted.toLookUp.push(operation)
    else if (plan) sorted.toEnd.push({ operation, plan })
  }
  return sorted
}

/**
 * Ends what needs no transaction of the chain, where the lease is as it was when that was planned. Returns whether
 * anything ended. The lease is not locked, because whoever voids plans has locked rows that are changed here: a change
 * that commits meanwhile came after.
 */
export async function carryOut(lease: Lease, kinds: Operations, toEnd: Sorted["toEnd"]): Promise<boolean> {
  if (toEnd.length === 0) return false
  const { workspaceId, token, version } = lease
  const ids = toEnd.map(({ operation }) => operation.id)
  const ended = await sql.begin(async (sql) => {
    const queued = await sql<{ id: string }[]>`
      select id from operations
      where workspace_id = ${workspaceId} and id = any(${ids}) and status = 'queued' and exists (
        select from ledger_leases where workspace_id = ${workspaceId} and token = ${token} and version = ${version})
      order by id for update skip locked`
    const still = new Set(queued.map((row) => row.id))
    const ended: { kind: string; outcome: "confirmed" | "failed" }[] = []
    for (const { operation, plan } of toEnd) {
      if (!still.has(operation.id)) continue
      if (plan.do === "hold back") await holdBack(sql, operation, plan.error)
      // Whoever asked for it was told that it is done.
      else if (plan.do === "fail" && operation.redo)
        await holdBack(sql, operation, new Error(`it cannot be done again: ${plan.refusal.detail}`))
      else if (plan.do === "defer") await putOff(sql, operation, DEFER_SECONDS)
      else if (await endByPlan(sql, kinds, operation, plan))
        ended.push({ kind: operation.kind, outcome: plan.do === "fail" ? "failed" : "confirmed" })
    }
    return ended
  })
  for (const { kind, outcome } of ended) noteOperation(kind, outcome)
  return ended.length > 0
}

/** Fails one operation, or defers it if its effect cannot be applied; the others of this turn continue. */
async function endByPlan(
  sql: Transaction,
  kinds: Operations,
  operation: OperationRow,
  plan: Extract<Plan, { do: "finish" | "fail" }>,
): Promise<boolean> {
  try {
    await sql.savepoint((sql) =>
      plan.do === "finish"
        ? finishOperations(sql, kinds, [operation])
        : failOperations(sql, kinds, [operation], plan.refusal),
    )
    return true
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    await holdBack(sql, operation, error)
    return false
  }
}

async function holdBack(sql: Queryable, operation: OperationRow, error: unknown): Promise<void> {
  const { workspace_id, id, kind } = operation
  logger.error(
    { err: error, workspaceId: workspace_id, operation: id, kind },
    "an operation cannot be planned; retrying later",
  )
  await putOff(sql, operation, HOLD_BACK_SECONDS)
}

const putOff = (sql: Queryable, { workspace_id, id }: OperationRow, seconds: number) => sql`
  update operations set not_before = ${addSeconds(clock.now(), seconds)}
  where workspace_id = ${workspace_id} and id = ${id}`
