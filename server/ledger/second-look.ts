import { LRUCache } from "lru-cache"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import { answersNeeded, askEnough } from "./several-nodes.ts"

// An operation with nothing to do ends without a transaction, and nothing checks it again. So one answer of one node is
// not enough.

/** The most operations that are remembered, and for how long: longer than finality takes. */
const MOST = 50_000
const REMEMBERED_MS = 120_000

/** The slot as of which there was nothing to do, by operation. */
const firstSeen = new LRUCache<string, number>({ max: MOST, ttl: REMEMBERED_MS })

/** Reads the same again; returns true for operations that still have nothing to do. */
type LookAgain = (ids: readonly string[], rpc: Rpc, options: ReadOptions) => Promise<(id: string) => boolean>

/**
 * Returns the operations whose "nothing to do" is final: it is seen again, `finalized` in the same slot or later, by
 * two nodes if there are two. The others wait.
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
  // The address may now serve another chain, which has none of the accounts.
  await chain.rpc.nodes.identify()
  const words = await askEnough(chain.rpc.settling, (view) =>
    lookAgain(final, view, { since, commitment: "finalized" }),
  ).catch((error) => {
    // These wait for the other node; the rest of the workspace does not.
    if (isOfTheNodes(error)) return null
    throw error
  })
  await chain.rpc.nodes.identify()
  if (words === null) return new Set()
  const isNothing = (id: string) => words.every((say) => say(id))
  for (const id of final) if (!isNothing(id)) firstSeen.delete(id)
  return new Set(final.filter(isNothing))
}

/** Whether a single node's "not found" is enough. */
export const isAlone = ({ rpc, embedded }: Chain): boolean => !embedded && answersNeeded(rpc) === 1
