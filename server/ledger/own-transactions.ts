import type { ConfirmedSignatureInfo, VersionedMessage } from "@solana/web3.js"
import bs58 from "bs58"
import { background as sql } from "#db/client.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { MEMO_MARK } from "#server/solana/memo.ts"
import { HistoryMissing, isUnreadable } from "#server/solana/rpc/errors.ts"
import { verifierOf } from "#server/solana/signers/ed25519.ts"
import type { Address } from "#shared/address.ts"
import type { TransactionStatus } from "#shared/statuses.ts"
import { paidBy, readIssuers } from "./issuer.ts"
import { carriedBy } from "./restore/carried.ts"

/** Which workspace each key issues for, read once when first needed. */
export type Issuers = () => Promise<ReadonlyMap<Address, string>>
export function issuersOf(chain: Chain): Issuers {
  let known: Promise<ReadonlyMap<Address, string>> | null = null
  return () => {
    known ??= readIssuers(chain)
    return known
  }
}

/**
 * The transaction, if one of our fee payers or authorities signed it: anyone can name our keys and copy our memo. Null
 * if another sender signed it, or if Vouch does not sign transactions of its version. Throws if the node that lists it
 * does not return it.
 */
export async function readOwnTransaction(chain: Chain, signature: string, issuers: Issuers) {
  const told = await chain.rpc.settling.transaction(signature).catch((error) => {
    if (isUnreadable(error)) return "unreadable" as const
    throw error
  })
  if (told === null) throw new HistoryMissing(`${signature} is listed, but the node does not return it`)
  if (told === "unreadable") return null
  // An attacker who makes up a transaction does not have our key.
  if (!isSigned(told.transaction)) throw new HistoryMissing(`${signature} is returned with a wrong signature`)
  const [payer, ...others] = signersOf(told.transaction.message)
  if ((await paidBy(chain)).has(payer!)) return told
  const known = await issuers()
  return others.some((signer) => known.has(signer)) ? told : null
}

const isSigned = ({ message, signatures }: { message: VersionedMessage; signatures: string[] }): boolean => {
  const bytes = message.serialize()
  return signersOf(message).every((signer, i) =>
    verifierOf(bs58.decode(signer))(bytes, bs58.decode(signatures[i] ?? "")),
  )
}

/** The signers of a transaction, its fee payer first. */
export const signersOf = ({ header, staticAccountKeys }: VersionedMessage): Address[] =>
  staticAccountKeys.slice(0, header.numRequiredSignatures).map(addressOf)

// Vouch recognizes what has landed by the memos in a list of signatures. Some nodes list signatures without memos.
// According to such a list, none of our transactions has landed.

/** The most transactions without a memo that are read one by one. Anyone can name our keys in as many as they like. */
const READ = 100

export const hasVouchMemo = ({ memo }: ConfirmedSignatureInfo): boolean => memo?.includes(MEMO_MARK) ?? false

/**
 * Checks, from the successful transactions of a page, that the node returns memos. Rejects with HistoryMissing if the
 * memo of one of our transactions is missing: such a list proves nothing.
 */
export async function readPage(succeeded: readonly ConfirmedSignatureInfo[]) {
  const signatures = succeeded.map(({ signature }) => signature)
  const rows = await sql<{ signature: string; status: TransactionStatus }[]>`
    select signature, status from transactions where signature = any(${signatures})`
  const known = new Map(rows.map(({ signature, status }) => [signature, status]))
  const bare = succeeded.find((one) => known.has(one.signature) && !hasVouchMemo(one))
  if (bare) throw new HistoryMissing(`the node's history leaves out the memo of ${bare.signature}`)
  // Those without a memo, if nothing on the page proves that the node returns memos.
  const withoutMemo = succeeded.some(hasVouchMemo) ? [] : succeeded.filter(({ memo }) => !memo)
  return { known, withoutMemo: withoutMemo.slice(0, READ + 1) }
}

/**
 * Reads transactions that were listed without a memo. Rejects with HistoryMissing if one is ours and has a memo, or if
 * there are too many. With `isProven`, another transaction proves that the node returns memos.
 */
export async function refuseHiddenMemos(
  chain: Chain,
  withoutMemo: readonly ConfirmedSignatureInfo[],
  isProven: boolean,
): Promise<void> {
  if (withoutMemo.length > READ && !isProven)
    throw new HistoryMissing(`the node's history has ${withoutMemo.length} transactions but no memo`)
  const issuers = issuersOf(chain)
  for (const { signature } of withoutMemo.slice(0, READ)) {
    const own = await readOwnTransaction(chain, signature, issuers)
    if (own && carriedBy(own.transaction.message).length > 0)
      throw new HistoryMissing(`the node's history leaves out the memo of ${signature}`)
  }
}
