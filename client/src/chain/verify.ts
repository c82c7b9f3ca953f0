import type { Bytes } from "../bytes.ts"
import { VouchError } from "../errors.ts"
import { FROZEN, readClock, readMint, readTokenAccount } from "./accounts.ts"
import { addressBytes, CLOCK, issuersOf, signatureBytes, TOKEN_2022, tokenAccountOf } from "./address.ts"
import { type ChainConnection, type Node, nodeOf } from "./connection.ts"
import { type Credential, type Issuance, issuancesBy, latestIssuance } from "./issuance.ts"

export type OnChainQuestion = {
  /**
   * The address that issues for the workspace (`onchain.authority` of an attestation). Get it from the issuer, never
   * from the wallet's holder. Pass several if the workspace's key was replaced.
   */
  issuer: string | readonly string[]
  /** Schema id, such as `kyc_individual_v1`. */
  schema: string
  /** Wallet address, base58. */
  wallet: string
  /** The credential's mint, if you know it. It need not be trusted: it only saves the search. */
  mint?: string | undefined
  /**
   * The transaction that issued the credential, if you know it: `onchain_tx` of the API and of events. It need not be
   * trusted: it is checked like any other, and ignored if it is wrong. It saves the search for the credential, which
   * strangers can make impossible (`history_too_long`, `too_many_accounts`).
   */
  transaction?: string | null | undefined
  /** The commitment level. Default: `confirmed`. */
  commitment?: "confirmed" | "finalized" | undefined
}

/** Why a wallet does not count as verified. */
export type OnChainRefusal =
  /** It has no credential of this issuer and schema. */
  | "no_credential"
  /** The address is not a token account of Token-2022, or belongs to another mint. */
  | "wrong_account"
  /** The account belongs to another wallet. */
  | "wrong_holder"
  /** The account is not frozen: a credential always is. */
  | "not_frozen"
  /** The mint is not a credential mint of Token-2022: its units could be moved, or another key controls it. */
  | "wrong_mint"
  /** This issuer does not control the mint. */
  | "wrong_issuer"
  /** The mint belongs to another schema. */
  | "wrong_schema"
  /** The account is empty: the unit was destroyed, because the attestation was revoked, replaced or has expired. */
  | "revoked"
  /** No transaction signed by the issuer gave the unit. */
  | "not_issued"
  /** It has expired by the chain's clock. */
  | "expired"

export type OnChainCredential = {
  verified: true
  attestationId: string
  expiresAt: Date
  /** base64url of SHA-256, which binds the record: docs/contract.md, On chain. */
  commitment: string
  mint: string
  tokenAccount: string
  /** Signature of the transaction that issued it. */
  transaction: string
  /**
   * Whether this is certainly the issuer's latest attestation of the wallet. False only if you passed `transaction` and
   * too many later transactions name the account to check them all. Then a later attestation may have replaced it, with
   * another id and expiry. The wallet holds its unit in both cases.
   */
  isLatest: boolean
}

export type OnChainAnswer = OnChainCredential | { verified: false; reason: OnChainRefusal }

/** Anyone can add accounts to a wallet. The most to check, and how many at once. */
const MOST_ACCOUNTS = 10_000
const BATCH = 100
/** How many transactions with a memo to check per account at first, so that no account hides another. */
const FEW_TRANSACTIONS = 50
const MOST_TRANSACTIONS = 1_000

/**
 * Checks whether a wallet is verified, using only the chain and not Vouch. A mint's own data does not count without a
 * transaction signed by the issuer. The answers of the node are trusted, so choose it well.
 *
 * Rejects if the node fails or an address is invalid. Rejects with a `VouchError` if strangers have made the search too
 * long: `history_too_long`, `too_many_accounts`. Pass `transaction` then.
 */
export async function verifyOnChain(connection: ChainConnection, question: OnChainQuestion): Promise<OnChainAnswer> {
  const node = nodeOf(connection, question.commitment ?? "confirmed")
  const issuers = issuersOf(question.issuer)
  const asked = { node, issuers, schema: question.schema, wallet: question.wallet }
  const wallet = addressBytes(question.wallet, "wallet")
  const { mint, transaction } = question
  const named = mint === undefined ? null : await credentialOf(wallet, mint)
  if (transaction != null) {
    signatureBytes(transaction, "transaction")
    for (const given of await issuancesBy(node, issuers, { transaction, wallet })) {
      if (named !== null && named.mint !== given.mint) continue
      const answer = await verifyAt(asked, given, FEW_TRANSACTIONS, given.issuance)
      if (answer?.verified) return answer
    }
  }
  let left = named === null ? await candidates(asked, wallet) : [named]
  let answer: OnChainAnswer = refuse("no_credential")
  for (const most of [FEW_TRANSACTIONS, MOST_TRANSACTIONS]) {
    const unread: Credential[] = []
    for (const credential of left) {
      const found = await verifyAt(asked, credential, most)
      if (found?.verified) return found
      if (found === null) unread.push(credential)
      else answer = found
    }
    left = unread
  }
  if (left.length > 0)
    throw new VouchError(
      "history_too_long",
      "Too many transactions name the credential's account to check them all. Pass `transaction`: onchain_tx of the wallet's latest attestation.",
    )
  return answer
}

type Asked = { node: Node; issuers: readonly string[]; schema: string; wallet: string }

const refuse = (reason: OnChainRefusal) => ({ verified: false, reason }) as const

const tooManyAccounts = () =>
  new VouchError(
    "too_many_accounts",
    "The wallet has too many token accounts to check them all. Pass `transaction`, the attestation's onchain_tx, or `mint`.",
  )

async function credentialOf(wallet: Bytes, mint: string): Promise<Credential> {
  return { mint, tokenAccount: await tokenAccountOf(wallet, addressBytes(mint, "mint")) }
}

/** The mints of this issuer and schema for which the wallet has an associated account. */
async function candidates(asked: Asked, wallet: Bytes): Promise<Credential[]> {
  const { node } = asked
  const found: Credential[] = []
  const accounts = await node.tokenAccounts(asked.wallet, TOKEN_2022)
  if (accounts.length > MOST_ACCOUNTS) throw tooManyAccounts()
  for (let at = 0; at < accounts.length; at += BATCH) {
    const page = accounts.slice(at, at + BATCH)
    const held = (await node.accounts(page)).map((one) => one && readTokenAccount(one))
    // A credential's account is frozen even without the unit.
    const frozen = held.flatMap((one, index) =>
      one?.state === FROZEN && one.amount <= 1n ? { mint: one.mint, account: page[index]! } : [],
    )
    const mints = frozen.length > 0 ? await node.accounts(frozen.map(({ mint }) => mint)) : []
    for (const [index, one] of frozen.entries()) {
      if (refusalOfMint(mints[index] ?? null, one.mint, asked) !== null) continue
      const credential = await credentialOf(wallet, one.mint)
      if (credential.tokenAccount === one.account) found.push(credential)
    }
    if (found.length > BATCH) throw tooManyAccounts()
  }
  return found
}

type Account = Awaited<ReturnType<Node["accounts"]>>[number]

/** Null if the account's history was not read to its end and no issuance was found or passed. */
async function verifyAt(
  asked: Asked,
  { mint, tokenAccount }: Credential,
  most: number,
  given?: Issuance,
): Promise<OnChainAnswer | null> {
  const { node, issuers } = asked
  const read = async () => {
    const [account = null, mintAccount = null, clock = null] = await node.accounts([tokenAccount, mint, CLOCK])
    const reason = refusalOfMint(mintAccount, mint, asked) ?? refusalOfAccount(account, mint, asked.wallet)
    return { reason, clock }
  }
  // The account first, because it is cheaper to refuse. And again, because it may have changed while history was read.
  const before = await read()
  if (before.reason !== null) return refuse(before.reason)
  const span = { most, ...(given && { until: given.transaction }) }
  const latest = await latestIssuance(node, issuers, { mint, tokenAccount }, span)
  const issuance = latest === "unread" || latest === null ? given : latest
  if (!issuance) return latest === null ? refuse("not_issued") : null
  const { reason, clock } = await read()
  if (reason !== null) return refuse(reason)
  if (clock === null) throw new Error("The node did not return the chain's clock. Use another node.")
  if (issuance.expiresAt <= readClock(clock)) return refuse("expired")
  const { attestationId, commitment, expiresAt, transaction } = issuance
  return {
    verified: true,
    attestationId,
    expiresAt: new Date(expiresAt * 1000),
    commitment,
    mint,
    tokenAccount,
    transaction,
    isLatest: latest !== "unread",
  }
}

/** Why a mint is not a credential of these issuers and this schema, or null. */
function refusalOfMint(account: Account, address: string, { issuers, schema }: Asked): OnChainRefusal | null {
  const mint = account && readMint(account)
  if (mint?.authority == null || mint.decimals !== 0) return "wrong_mint"
  if (!mint.isNonTransferable || !mint.isBornFrozen) return "wrong_mint"
  if (!issuers.includes(mint.authority)) return "wrong_issuer"
  // Another key that could thaw, take or rename it would control what it means.
  const { authority, metadata } = mint
  if (mint.freezeAuthority !== authority || mint.permanentDelegate !== authority) return "wrong_issuer"
  if (mint.metadataAt !== address || metadata?.mint !== address) return "wrong_mint"
  if (metadata.updateAuthority !== authority) return "wrong_issuer"
  return metadata.fields.get("schema") === schema ? null : "wrong_schema"
}

/** Why an account does not hold the wallet's credential, or null. */
function refusalOfAccount(account: Account, mint: string, wallet: string): OnChainRefusal | null {
  if (account === null) return "no_credential"
  const held = readTokenAccount(account)
  if (held === null || held.mint !== mint) return "wrong_account"
  if (held.holder !== wallet) return "wrong_holder"
  if (held.state !== FROZEN) return "not_frozen"
  if (held.amount === 0n) return "revoked"
  return held.amount === 1n ? null : "wrong_account"
}
