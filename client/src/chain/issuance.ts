import type { Bytes } from "../bytes.ts"
import { addressBytes, MEMO, TOKEN_2022, tokenAccountOf } from "./address.ts"
import { type Instruction, type Node, PAGE, type Span, type Transaction } from "./connection.ts"

/** What the issuer wrote in the memo of an issuance. */
export type Issuance = {
  attestationId: string
  commitment: string
  /** Unix seconds. */
  expiresAt: number
  transaction: string
}

export type Credential = { mint: string; tokenAccount: string }

/** `vouch:1:<attestation_id>:<commitment>:<expiry unix>` (docs/contract.md). */
const MEMO_TEXT = /^vouch:1:(att_[1-9A-HJ-NP-Za-km-z]{16,22}):([\w-]{43}):(\d{1,12})$/
/** The mint instruction of Token-2022, with an amount of one. */
const MINT_ONE = [7, 1, 0, 0, 0, 0, 0, 0, 0]
const MOST_PAGES = 100

/**
 * The issuer's latest transaction that gave the account its unit, or null if there is none. Anyone can name the account in
 * a transaction and copy a memo into it, so a history may be too long: "unread" once the limit of transactions with a memo
 * was checked. With `until`, only later transactions count.
 */
export async function latestIssuance(
  node: Node,
  issuers: readonly string[],
  credential: Credential,
  { most, until }: { most: number; until?: string },
): Promise<Issuance | "unread" | null> {
  let looked = 0
  const span: Span = until === undefined ? {} : { until }
  for (let page = 0; page < MOST_PAGES; page++) {
    const list = await node.signatures(credential.tokenAccount, { ...span })
    for (const { signature, failed, memo } of list) {
      if (failed || !memo.includes("vouch:1:att_")) continue
      if (++looked > most) return "unread"
      const transaction = await node.transaction(signature)
      if (transaction === null) throw new Error("The node lists a transaction that it does not know.")
      const issuance = issuanceIn(transaction, issuers, credential)
      if (issuance) return { ...issuance, transaction: signature }
    }
    if (list.length < PAGE) return null
    span.before = list.at(-1)!.signature
  }
  return "unread"
}

/** The issuances to a wallet in a transaction that the issuer signed. */
export async function issuancesBy(
  node: Node,
  issuers: readonly string[],
  { transaction: signature, wallet }: { transaction: string; wallet: Bytes },
): Promise<(Credential & { issuance: Issuance })[]> {
  const transaction = await node.transaction(signature)
  const found: (Credential & { issuance: Issuance })[] = []
  if (transaction === null) return found
  const given = transaction.instructions.filter((one) => isMintOne(one, transaction, issuers))
  for (const mint of new Set(given.map(({ accounts }) => accounts[0]!))) {
    const tokenAccount = await tokenAccountOf(wallet, addressBytes(mint, "mint"))
    const issuance = issuanceIn(transaction, issuers, { mint, tokenAccount })
    if (issuance) found.push({ mint, tokenAccount, issuance: { ...issuance, transaction: signature } })
  }
  return found
}

/** The last issuance to the account in a transaction that the issuer signed. Its memo is directly before the mint. */
function issuanceIn(
  transaction: Transaction,
  issuers: readonly string[],
  { mint, tokenAccount }: Credential,
): Omit<Issuance, "transaction"> | null {
  const { failed, instructions } = transaction
  if (failed) return null
  for (let at = instructions.length - 1; at > 0; at--) {
    const [memo, gives] = [instructions[at - 1]!, instructions[at]!]
    if (!isMintOne(gives, transaction, issuers) || memo.program !== MEMO) continue
    if (gives.accounts[0] !== mint || gives.accounts[1] !== tokenAccount) continue
    const [, attestationId, commitment, expiry] = MEMO_TEXT.exec(new TextDecoder().decode(memo.data)) ?? []
    if (attestationId && commitment) return { attestationId, commitment, expiresAt: Number(expiry) }
  }
  return null
}

/** Whether the issuer mints one unit and signed that. Token-2022 lets only the mint authority mint. */
const isMintOne = (
  { program, accounts, data }: Instruction,
  { signers }: Transaction,
  issuers: readonly string[],
): boolean =>
  program === TOKEN_2022 &&
  data.length === MINT_ONE.length &&
  MINT_ONE.every((byte, at) => data[at] === byte) &&
  issuers.includes(accounts[2]!) &&
  signers.includes(accounts[2]!) &&
  !!accounts[0]
