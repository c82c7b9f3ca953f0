import { isDeepStrictEqual } from "node:util"
import { HistoryMissing, isUnreadable } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { readBlockTime } from "../postings/date.ts"
import { askHistory } from "./agree.ts"
import type { Listed } from "./list-transactions.ts"
import { changesIn, type WalletChange } from "./read-movements.ts"

/** How many transactions to read at the same time. */
export const AT_ONCE = 8

/** What a transaction moved, and when it landed. */
export type Moved = { signature: string; slot: number; landedAt: Date; changes: WalletChange[] }

export async function readAll(rpc: Rpc, mint: Address, listed: readonly Listed[]): Promise<Moved[]> {
  const found: Moved[] = []
  for (let from = 0; from < listed.length; from += AT_ONCE)
    found.push(...(await Promise.all(listed.slice(from, from + AT_ONCE).map((one) => readMoved(rpc, mint, one)))))
  return found
}

/** What a transaction moved, as two nodes report it if there are two. Rejects with HistoryMissing or Error. */
export async function readMoved(rpc: Rpc, mint: Address, { signature, slot }: Listed): Promise<Moved> {
  const ask = async (view: Rpc): Promise<Effects> => {
    const found = await view.transaction(signature).catch((error) => {
      if (isUnreadable(error)) throw new HistoryMissing(`${signature} has a version that cannot be read`)
      throw error
    })
    if (found === null || found.slot !== slot) throw new HistoryMissing(`${signature} is listed, but not returned`)
    const changes = changesIn(found, mint).sort((one, other) => (one.wallet < other.wallet ? -1 : 1))
    return { changes, time: found.blockTime ?? null }
  }
  const { changes, time } = await askHistory(rpc, ask, inBoth)
  const landedAt = time === null ? await readBlockTime(rpc, slot) : new Date(time * 1000)
  if (landedAt === null) throw new HistoryMissing(`no node has the time of slot ${slot}`)
  return { signature, slot, landedAt, changes }
}

/** `time`: of the block, in Unix seconds; null if a node lacks it. */
type Effects = { changes: WalletChange[]; time: number | null }

function inBoth(one: Effects, other: Effects): Effects | null {
  const time = one.time ?? other.time
  const isSame = time === (other.time ?? time) && isDeepStrictEqual(one.changes, other.changes)
  return isSame ? { changes: one.changes, time } : null
}
