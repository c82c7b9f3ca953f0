import { LRUCache } from "lru-cache"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import { answersNeeded, askEnough } from "./several-nodes.ts"

// That there is nothing to do on chain ends an operation without a transaction: nobody would ever look again. So one word of one
// node is not enough for it.

/** Operations that are remembered, at most, and for how long: longer than finality takes. */
const MOST = 50_000
const REMEMBERED_MS = 120_000

/** As of which slot nothing was there to do, by operation. */
const firstSeen = new LRUCache<string, number>({ max: MOST, ttl: REMEMBERED_MS })

/** Reads again what was seen; true for operations that still have nothing to do. */
type LookAgain = (ids: readonly string[], rpc: Rpc, options: ReadOptions) => Promise<(id: string) => boolean>

/**
 * Those of operations without anything to do, as of a slot, for which that is so for good: it is seen again, as it is
 * `finalized` in that slot or later, by two nodes where there are two. The others wait.
 */
export async function seenTwice(
  chain: Chain,
  { ids, slot }: { ids: readonly string[]; slot: number },
  lookAgain: LookAgain,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  for (const id of ids) if (!firstSeen.has(id)) firstSeen.set(id, slot)
  const { slot: finalized } = await chain.rpc.finalizedHeight()
  const sinceOf = (id: string) => firstSeen.get(id) ?? slot
  const final = ids.filter((id) => sinceOf(id) <= finalized)
  if (final.length === 0) return new Set()
  const since = Math.max(...final.map(sinceOf))
  // Another chain may be behind the address by now, and have nothing of anything.
  await chain.rpc.nodes.identify()
  const words = await askEnough(chain.rpc.settling, (view) =>
    lookAgain(final, view, { since, commitment: "finalized" }),
  ).catch((error) => {
    // They wait for the other node; the rest of the workspace does not.
    if (isOfTheNodes(error)) return null
    throw error
  })
  await chain.rpc.nodes.identify()
  if (words === null) return new Set()
  const isNothing = (id: string) => words.every((say) => say(id))
  for (const id of final) if (!isNothing(id)) firstSeen.delete(id)
  return new Set(final.filter(isNothing))
}

/** Whether there is one node alone that a chain's nothing is believed of, and no other to say otherwise. */
export const isAlone = ({ rpc, embedded }: Chain): boolean => !embedded && answersNeeded(rpc) === 1
