import type { ConfirmedSignatureInfo } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import { MEMO_MARK } from "#server/solana/memo.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import type { TransactionStatus } from "#shared/statuses.ts"
import { issuersOf, readOwnTransaction } from "./read-own-transaction.ts"
import { carriedBy } from "./restore/carried.ts"

// Vouch recognizes what has landed by the memos in a list of signatures. Some nodes list signatures without memos. By
// such a list, none of our transactions would ever have landed.

/** The most transactions without a memo that are read one by one. Anyone can name our keys in as many as they like. */
const READ = 100

export const hasOurMemo = ({ memo }: ConfirmedSignatureInfo): boolean => memo?.includes(MEMO_MARK) ?? false

export type ToldPage = {
  /** The memos of those on the page that the database knows, by signature. */
  known: ReadonlyMap<string, TransactionStatus>
  /** Those without a memo, if nothing on the page proves that the node returns memos. */
  untold: ConfirmedSignatureInfo[]
}

/**
 * Checks, from the successful transactions of a page, that the node returns memos. Rejects with HistoryMissing if the
 * memo of one of our transactions is missing: such a list proves nothing.
 */
export async function readPage(succeeded: readonly ConfirmedSignatureInfo[]): Promise<ToldPage> {
  const known = await statusesOf(succeeded)
  const bare = succeeded.find((one) => known.has(one.signature) && !hasOurMemo(one))
  if (bare) throw new HistoryMissing(`the node's history leaves out the memo of ${bare.signature}`)
  const untold = succeeded.some(hasOurMemo) ? [] : succeeded.filter(({ memo }) => !memo)
  return { known, untold: untold.slice(0, READ + 1) }
}

async function statusesOf(page: readonly ConfirmedSignatureInfo[]): Promise<ReadonlyMap<string, TransactionStatus>> {
  if (page.length === 0) return new Map()
  const rows = await sql<{ signature: string; status: TransactionStatus }[]>`
    select signature, status from transactions where signature = any(${page.map(({ signature }) => signature)})`
  return new Map(rows.map(({ signature, status }) => [signature, status]))
}

/**
 * Reads one by one the transactions that were listed without a memo. Rejects with HistoryMissing if one is ours and has
 * a memo. Also if there are too many to read, unless `isProven`: another transaction proves that the node returns
 * memos.
 */
export async function refuseUntold(
  chain: Chain,
  untold: readonly ConfirmedSignatureInfo[],
  isProven: boolean,
): Promise<void> {
  if (untold.length > READ && !isProven)
    throw new HistoryMissing(`the node's history has ${untold.length} transactions but no memo`)
  const issuers = issuersOf(chain)
  for (const { signature } of untold.slice(0, READ)) {
    const transaction = await readOwnTransaction(chain, signature, issuers)
    if (transaction && carriedBy(transaction.message).length > 0)
      throw new HistoryMissing(`the node's history leaves out the memo of ${signature}`)
  }
}
