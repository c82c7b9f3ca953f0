import type { Chain } from "#server/solana/chain.ts"
import type { Operations } from "./definition.ts"
import { type Issuer, issuerOf } from "./issuer.ts"
import type { Lease, Leases } from "./lease.ts"
import type { OperationRow, Unfinished } from "./operation.ts"
import type { Planned } from "./pack.ts"
import { carryOut, type Facts, planAll, sortPlans } from "./plan.ts"
import { readRunnable } from "./queue.ts"

export type Batch = {
  chain: Chain
  kinds: Operations
  leases: Leases
  workspaceId: string
  /** Operations of the workspace that are being signed; what conflicts with them waits. */
  signing: readonly Unfinished[]
  /** What the chain says about operations that need it to be planned. If set, only those are planned. */
  facts: Facts | null
  /** Whether operations that can wait have to. */
  urgentOnly: boolean
}

export type PlannedBatch = {
  lease: Lease
  /** The issuer at planning time. It may have changed by signing. */
  issuer: Issuer
  /** What is to be signed. */
  planned: Planned[]
  /** Whether some operations needed no transaction. */
  ended: boolean
  /** Operations still in the queue, because the chain has to be read for them first. */
  toLookUp: OperationRow[]
}

/**
 * The first part of one workspace's batch: takes its lease, finds what can run, checks it again and plans it. Null if
 * another worker has the workspace. It reads only the database, and opens a transaction only to end operations that
 * need nothing from the chain. Nothing is locked: when the plan is saved (`signing.ts`), the lease's version from
 * before its first read shows whether it still holds.
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
  return { lease, issuer, planned, toLookUp, ended: await carryOut(lease, kinds, toEnd) }
}
