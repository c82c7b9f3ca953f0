import { isDeepStrictEqual } from "node:util"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { askHistory } from "./agree.ts"

/** A transaction that named the mint. `at` is the time of its block, if the node lists it. */
export type Listed = { signature: string; slot: number; at: number | null; succeeded: boolean }

/** Which part of a mint's history to list: between two of its transactions, up to a finalized slot. */
export type Part = {
  mint: Address
  /** Already read. A history without it is not complete. */
  cursor: { signature: string; slot: number }
  /** Continues below it; null begins with the newest. */
  before: { signature: string; slot: number } | null
  asOf: number
  most: number
}

/** Transactions, newest first. `isWhole`: they reach back to the cursor. */
export type Chunk = { listed: Listed[]; isWhole: boolean }

/** Usually there is nothing new, and the cursor is the newest of all. */
const FIRST_PAGE = 20
const PAGE = 1000

/** The next transactions of a part, as two nodes list them if there are two. Rejects with HistoryMissing or Error. */
export async function listTransactions(rpc: Rpc, part: Part): Promise<Chunk> {
  const [first, second = first] = await askHistory(rpc, (view) => listFrom(view, part))
  if (!isDeepStrictEqual(first!.listed.map(toCompare), second!.listed.map(toCompare)))
    throw new Error(`Two nodes list different transactions of the mint ${part.mint}.`)
  return { listed: first!.listed, isWhole: first!.isWhole && second!.isWhole }
}

const toCompare = ({ signature, slot, succeeded }: Listed) => [signature, slot, succeeded]

async function listFrom(view: Rpc, { mint, cursor, before, asOf, most }: Part): Promise<Chunk> {
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
    if (page.length === 0) missing(`leaves out ${cursor.signature}, which has landed`)
    for (const { signature, slot, err, blockTime } of page) {
      if (!(slot <= oldest.slot) || seen.has(signature)) missing("is listed out of order")
      seen.add(signature)
      oldest = { signature, slot }
      if (signature === cursor.signature) {
        if (slot !== cursor.slot) missing(`has ${signature} in another slot than before`)
        return { listed, isWhole: true }
      }
      if (slot < cursor.slot) missing(`leaves out ${cursor.signature}, which has landed`)
      // What is newer is listed the next time.
      if (slot > asOf) continue
      listed.push({ signature, slot, at: blockTime ?? null, succeeded: err === null })
      if (listed.length === most) return { listed, isWhole: false }
    }
  }
}
