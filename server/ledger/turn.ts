import type { Chain } from "#server/solana/chain.ts"
import type { Operations } from "./definition.ts"
import { type Issuer, issuerOf } from "./issuer.ts"
import type { Lease, Leases } from "./lease.ts"
import type { OperationRow, Unfinished } from "./operation.ts"
import type { Planned } from "./pack.ts"
import { carryOut, type Facts, planAll, sortPlans } from "./plan.ts"
import { readRunnable } from "./queue.ts"

export type Turn = {
  chain: Chain
  kinds: Operations
  leases: Leases
  workspaceId: string
  /** Operations of the workspace that are being signed: what conflicts with them waits. */
  signing: readonly Unfinished[]
  /** What the chain says of operations that could not be planned without: then none but those are planned. */
  facts: Facts | null
  /** Whether what can wait has to. */
  urgentOnly: boolean
}

export type PlannedTurn = {
  lease: Lease
  /** For whom it was planned, and is signed: whoever issues or pays by then is another matter. */
  issuer: Issuer
  /** What is to be signed. */
  planned: Planned[]
  /** Whether some operations needed no transaction. */
  ended: boolean
  /** Operations that are still in the queue, because what the chain says of them has to be known first. */
  toLookUp: OperationRow[]
}

/**
 * The first part of one workspace's turn: takes its lease, looks for what can run, looks at that again and plans it.
 * Null where another worker has the workspace. It asks nobody but the database, and no transaction is open but while it
 * ends what needs none of the chain. Nothing is locked: whether a plan still holds is seen when it is saved
 * (`signing.ts`), by the lease's version of before anything was read that plans go by.
 */
export async function planTurn(turn: Turn): Promise<PlannedTurn | null> {
  const { chain, kinds, leases, workspaceId, signing, facts, urgentOnly } = turn
  const read = () => readRunnable(workspaceId, { signing, only: facts?.of ?? null, urgentOnly })
  const [taken, early] = await Promise.all([
    leases.take(workspaceId),
    leases.mayHold(workspaceId) ? read() : null,
  ])
  if (!taken) return null
  const { lease, isNew } = taken
  // What was read before the lease was taken, another worker may have changed since.
  const operations = early === null || isNew ? await read() : early
  const issuer = await issuerOf(chain, lease)
  if (operations.length === 0) return { lease, issuer, planned: [], ended: false, toLookUp: [] }
  const { planned, toLookUp, toEnd } = sortPlans(
    operations,
    await planAll(operations, { kinds, issuer, facts }),
  )
  return { lease, issuer, planned, toLookUp, ended: await carryOut(lease, kinds, toEnd) }
}
