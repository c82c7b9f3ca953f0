import type { ConfirmedSignatureInfo } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import { MEMO_MARK } from "#server/solana/memo.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import type { TransactionStatus } from "#shared/statuses.ts"
import { issuersOf, readOurs } from "./ours.ts"
import { carriedBy } from "./restore/carried.ts"

// What has landed is known by the memos that a list of signatures shows. There are nodes that list signatures and no memos,
// and by their list nothing of ours would ever have landed.

/** Transactions without a memo that are read by themselves, at most: anybody can name our keys in as many as they like. */
const READ = 100

export const hasOurMemo = ({ memo }: ConfirmedSignatureInfo): boolean => memo?.includes(MEMO_MARK) ?? false

export type ToldPage = {
  /** What the database has those of the page as that it knows, by their signatures. */
  known: ReadonlyMap<string, TransactionStatus>
  /** Those without a memo, where nothing on the page shows that the node tells memos. */
  untold: ConfirmedSignatureInfo[]
}

/**
 * Looks at the successful transactions of a page whether the node tells memos. Rejects with HistoryMissing where it leaves out that
 * of a transaction which is ours: such a list shows nothing.
 */
export async function readPage(succeeded: readonly ConfirmedSignatureInfo[]): Promise<ToldPage> {
  const known = await statusesOf(succeeded)
  const bare = succeeded.find((one) => known.has(one.signature) && !hasOurMemo(one))
  if (bare) throw new HistoryMissing(`the history that is told leaves out the memo of ${bare.signature}`)
  const untold = succeeded.some(hasOurMemo) ? [] : succeeded.filter(({ memo }) => !memo)
  return { known, untold: untold.slice(0, READ + 1) }
}

async function statusesOf(
  page: readonly ConfirmedSignatureInfo[],
): Promise<ReadonlyMap<string, TransactionStatus>> {
  if (page.length === 0) return new Map()
  const rows = await sql<{ signature: string; status: TransactionStatus }[]>`
    select signature, status from transactions where signature = any(${page.map(({ signature }) => signature)})`
  return new Map(rows.map(({ signature, status }) => [signature, status]))
}

/**
 * Reads by themselves what was listed without a memo. Rejects with HistoryMissing where one is ours and has one, and where there are
 * too many to know, unless it `isProven` by another one that the node tells memos.
 */
export async function refuseUntold(
  chain: Chain,
  untold: readonly ConfirmedSignatureInfo[],
  isProven: boolean,
): Promise<void> {
  if (untold.length > READ && !isProven)
    throw new HistoryMissing(`the history that is told has ${untold.length} transactions and no memo`)
  const issuers = issuersOf(chain)
  for (const { signature } of untold.slice(0, READ)) {
    const transaction = await readOurs(chain, signature, issuers)
    if (transaction && carriedBy(transaction.message).length > 0)
      throw new HistoryMissing(`the history that is told leaves out the memo of ${signature}`)
  }
}
