import type { Chain } from "#server/solana/chain.ts"
import { authorityOf } from "#server/solana/keys.ts"
import type { Issuer, Operations } from "./definition.ts"
import type { Lease } from "./lease.ts"
import type { OperationRow, Unfinished } from "./operation.ts"
import type { Planned } from "./pack.ts"
import { carryOut, type Facts, planAll, sortPlans } from "./plan.ts"
import { claim } from "./queue.ts"

export type Turn = {
  chain: Chain
  kinds: Operations
  lease: Lease
  /** Operations of the workspace that are being signed: what conflicts with them waits. */
  signing: readonly Unfinished[]
  /** What the chain says of operations that could not be planned without: then none but those are claimed. */
  facts: Facts | null
}

export type PlannedTurn = {
  /** What is to be signed. */
  planned: Planned[]
  /** Whether some operations needed no transaction. */
  ended: boolean
  /** Operations that are still in the queue, because what the chain says of them has to be known first. */
  toLookUp: OperationRow[]
}

/**
 * The first part of one workspace's turn: claims what can run, looks at it again and plans it. It asks nobody but the
 * database, and no transaction is open but while it ends what needs none of the chain. Nothing it has claimed is locked:
 * whether a plan still holds is seen when it is saved (`signing.ts`).
 */
export async function planTurn({ chain, kinds, lease, signing, facts }: Turn): Promise<PlannedTurn> {
  const operations = await claim(lease.workspaceId, { signing, only: facts?.of ?? null })
  if (operations.length === 0) return { planned: [], ended: false, toLookUp: [] }
  const issuer = issuerOf(chain, lease.workspaceId)
  const { planned, toLookUp, toEnd } = sortPlans(
    operations,
    await planAll(operations, { kinds, issuer, facts }),
  )
  return { planned, toLookUp, ended: await carryOut(lease, kinds, toEnd) }
}

/** For whom a workspace's instructions are built. */
export const issuerOf = (chain: Chain, workspaceId: string): Issuer => ({
  workspaceId,
  authority: authorityOf(chain.keys, workspaceId),
  feePayer: chain.feePayer,
  rentOf: chain.bound!.rentOf,
})
