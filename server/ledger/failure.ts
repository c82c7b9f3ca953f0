import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes, isWithoutHistory } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import { askEnough } from "./several-nodes.ts"

/**
 * Whether a transaction that a node reports as finally failed has failed. Its operations are then signed again, so one
 * answer of one node is not enough: the transaction itself must show the failure (or, on a node without history, its
 * status when asked again), and another node must agree if there is one.
 */
export async function hasFailed({ mode, rpc }: Chain, signature: string): Promise<boolean> {
  try {
    const words = await askEnough(rpc.settling, (view) => tellsFailure(view, signature))
    if (words.every(Boolean)) return true
    logger.warn({ mode, signature }, "a node says that a transaction failed, but the transaction itself does not")
  } catch (error) {
    if (!isOfTheNodes(error)) throw error
    logger.debug({ err: error, signature }, "could not read a transaction that was reported as failed")
  }
  return false
}

const tellsFailure = async (rpc: Rpc, signature: string): Promise<boolean> => {
  try {
    const found = await rpc.transaction(signature)
    return (found?.meta?.err ?? null) !== null
  } catch (error) {
    if (!isWithoutHistory(error)) throw error
    const [status] = (await rpc.statuses([signature])).value
    return status?.confirmationStatus === "finalized" && status.err !== null
  }
}
