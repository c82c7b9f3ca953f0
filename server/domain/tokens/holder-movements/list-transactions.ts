import { isDeepStrictEqual } from "node:util"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { askHistory } from "./agree.ts"

/** A transaction that named the mint. */
export type Listed = { signature: string; slot: number; succeeded: boolean }

/** Which part of a mint's history to list: between two of its transactions, up to a finalized slot. */
export type Part = {
  mint: Address
  /** Already read. A history without it is not complete, unless the node has dropped blocks that old. */
  cursor: { signature: string; slot: number }
  /** Everything up to this slot is known. */
  quiet: number
  /** Continues below the slot of a transaction; null begins with the newest. */
  before: { signature: string; slot: number } | null
  asOf: number
  most: number
}

/**
 * Transactions, newest first, and within a slot in the order of their signatures. It has all of each slot after `after`.
 * `isWhole`: nothing is left to list.
 */
export type Chunk = Listing & { isWhole: boolean }
type Listing = { listed: Listed[]; after: number }

/** Usually there is nothing new, and the cursor is the newest of all. */
const FIRST_PAGE = 20
const PAGE = 1000

/** The next transactions of a part, as two nodes list them if there are two. Rejects with HistoryMissing or Error. */
export async function listTransactions(rpc: Rpc, part: Part): Promise<Chunk> {
  const agreed = await askHistory(rpc, (view) => listFrom(view, part), inBoth)
  return { ...agreed, isWhole: agreed.after <= Math.max(part.quiet, part.cursor.slot) }
}

/** What two nodes list in the same way. One that has dropped old blocks lists less. */
function inBoth(one: Listing, other: Listing): Listing | null {
  const after = Math.max(one.after, other.after)
  const [listed, others] = [one, other].map(({ listed }) =>
    listed.filter(({ slot }) => slot > after).toSorted(newestFirst),
  )
  return isDeepStrictEqual(listed, others) ? { listed: listed!, after } : null
}

/** Nodes list the transactions of a slot in different orders. */
const newestFirst = (one: Listed, other: Listed) => other.slot - one.slot || (one.signature < other.signature ? -1 : 1)

/** What one node lists. It ends between two slots, because another node may order those of one slot differently. */
async function listFrom(view: Rpc, { mint, cursor, quiet, before, asOf, most }: Part): Promise<Listing> {
  const missing = (what: string): never => {
    throw new HistoryMissing(`the history of the mint ${mint} ${what}`)
  }
  const listed: Listed[] = []
  const seen = new Set<string>()
  let oldest = before ?? { signature: null, slot: Number.POSITIVE_INFINITY }
  for (let limit = before === null ? FIRST_PAGE : PAGE; ; limit = PAGE) {
    const after = oldest.signature === null ? {} : { before: oldest.signature }
    const page = await view.signaturesFor(publicKeyOf(mint), {
      ...{ limit, since: asOf, commitment: "finalized" },
      ...after,
    })
    if (page.length === 0) {
      // The cursor may be older than the node's history. That is complete if it has everything since the known slot.
      const first = await view.firstAvailableBlock()
      if (cursor.slot < first && first <= quiet + 1) return { listed, after: first - 1 }
      missing(`leaves out ${cursor.signature}, which has landed`)
    }
    for (const { signature, slot, err } of page) {
      if (!(slot <= oldest.slot) || seen.has(signature)) missing("is listed out of order")
      seen.add(signature)
      oldest = { signature, slot }
      if (signature === cursor.signature) {
        if (slot !== cursor.slot) missing(`has ${signature} in another slot than before`)
        return { listed, after: slot }
      }
      if (slot < cursor.slot) missing(`leaves out ${cursor.signature}, which has landed`)
      // The others of its slot have been read with it.
      if (slot === cursor.slot) continue
      // What is newer is listed the next time, and the last slot before has been read.
      if (slot > asOf || slot >= (before?.slot ?? Number.POSITIVE_INFINITY)) continue
      if (listed.length >= most && slot < listed.at(-1)!.slot) return { listed, after: slot }
      listed.push({ signature, slot, succeeded: err === null })
    }
  }
}
