import { type Bytes, base64url, concat, sha256, utf8 } from "../bytes.ts"
import type { Operation } from "../contract.ts"
import { addressBytes, issuersOf, MEMO, signatureBytes, TOKEN_2022, toBase58, tokenAccountOf } from "./address.ts"
import { type ChainConnection, type Instruction, nodeOf, type Transaction } from "./connection.ts"

export type ForcedQuestion = {
  /**
   * The address that issues the token: the mint's authority. Get it from the issuer, never from the record. Pass several
   * if the workspace's key was replaced.
   */
  issuer: string | readonly string[]
  /** The record of a burn or of a forced transfer, as the API returns it. None of it is trusted. */
  operation: Pick<
    Operation,
    "operation_id" | "kind" | "user_pubkey" | "from_pubkey" | "to_pubkey" | "amount" | "mint" | "onchain_tx"
  >
  /** The commitment level. Default: `confirmed`. */
  commitment?: "confirmed" | "finalized" | undefined
}

/** Why the chain does not show what the record says. */
export type ForcedRefusal =
  /** The record names no transaction, the node does not know it, or it failed. */
  | "not_on_chain"
  /** The transaction does not carry this operation. */
  | "wrong_operation"
  /** Another key than this issuer's took the tokens. */
  | "wrong_issuer"
  /** It moved units of another mint. */
  | "wrong_mint"
  /** It took from another wallet than the record says, or gave to another. */
  | "wrong_wallet"
  /** It moved another amount. */
  | "wrong_amount"
  /** A forced transfer that is not marked as forced on chain. */
  | "not_forced"

export type ForcedMovement = {
  verified: true
  /** Whether the chain marks it as done without the holder's consent. Always true of a forced transfer. */
  isForced: boolean
  mint: string
  /** Whole tokens, without trailing zeros. */
  amount: string
  /** The issuer's key that signed. */
  authority: string
  transaction: string
}

export type ForcedAnswer = ForcedMovement | { verified: false; reason: ForcedRefusal }

/** Instructions of Token-2022. PermissionedBurn has a second byte for what it does, before the amount. */
const TRANSFER_CHECKED = 12
const BURN_CHECKED = 15
const PERMISSIONED_BURN = [46, 2] as const

/** A movement in a transaction: its base units, and the accounts that it takes from and gives to. */
type Movement = { from: string; to: string | null; mint: string; authority: string; units: bigint; decimals: number }

/**
 * Checks a burn or a forced transfer using only the chain and not Vouch: that the issuer signed it, that its memo names
 * the operation and says whether it was forced, and that it moved the record's amount between the record's wallets. The
 * answers of the node are trusted, so choose it well.
 *
 * Rejects if the node fails, if an address is invalid, or if the record is of another kind.
 */
export async function verifyForced(connection: ChainConnection, question: ForcedQuestion): Promise<ForcedAnswer> {
  const { operation } = question
  const { operation_id, kind, onchain_tx } = operation
  const issuers = issuersOf(question.issuer)
  if (kind !== "burn" && kind !== "force_transfer")
    throw new TypeError("operation.kind: must be burn or force_transfer")
  if (onchain_tx === null) return refuse("not_on_chain")
  signatureBytes(onchain_tx, "operation.onchain_tx")
  const transaction = await nodeOf(connection, question.commitment ?? "confirmed").transaction(onchain_tx)
  if (transaction === null || transaction.failed) return refuse("not_on_chain")

  const movements = movementsOf(transaction, operation_id)
  const [first] = movements
  if (first === undefined) return refuse("wrong_operation")
  for (const { mint, authority } of movements) {
    if (!issuers.includes(authority) || !transaction.signers.includes(authority)) return refuse("wrong_issuer")
    if (mint !== operation.mint) return refuse("wrong_mint")
  }
  const mint = addressBytes(first.mint, "operation.mint")
  const [from, to] = kind === "burn" ? [operation.user_pubkey, null] : [operation.from_pubkey, operation.to_pubkey]
  const sources = await accountsOf(addressBytes(from ?? "", "operation's wallet"), mint, issuers)
  const target = to === null ? null : await tokenAccountOf(addressBytes(to ?? "", "operation.to_pubkey"), mint)
  if (movements.some((one) => !sources.includes(one.from) || one.to !== target)) return refuse("wrong_wallet")
  const amount = tokensOf(
    movements.reduce((sum, { units }) => sum + units, 0n),
    first.decimals,
  )
  if (amount !== operation.amount) return refuse("wrong_amount")
  const isForced = movements.every((one) => one.isForced)
  if (kind === "force_transfer" && !isForced) return refuse("not_forced")
  return { verified: true, isForced, mint: first.mint, amount, authority: first.authority, transaction: onchain_tx }
}

const refuse = (reason: ForcedRefusal) => ({ verified: false, reason }) as const

/** The movements with the operation's memo directly before them, `vouch:1:<operation_id>[:forced]` (docs/contract.md). */
function movementsOf({ instructions }: Transaction, operationId: string): (Movement & { isForced: boolean })[] {
  return instructions.flatMap((instruction, at) => {
    const before = instructions[at - 1]
    const movement = movementIn(instruction)
    if (movement === null || before?.program !== MEMO) return []
    const [mark, version, id, ...rest] = new TextDecoder().decode(before.data).split(":")
    if (mark !== "vouch" || version !== "1" || id !== operationId) return []
    return [{ ...movement, isForced: rest.length === 1 && rest[0] === "forced" }]
  })
}

function movementIn({ program, accounts, data }: Instruction): Movement | null {
  if (program !== TOKEN_2022) return null
  const [a = "", b = "", c = "", d = ""] = accounts
  if (data[0] === TRANSFER_CHECKED) return { from: a, mint: b, to: c, authority: d, ...amountIn(data.subarray(1)) }
  if (data[0] === BURN_CHECKED) return { from: a, mint: b, to: null, authority: c, ...amountIn(data.subarray(1)) }
  if (PERMISSIONED_BURN.every((byte, at) => data[at] === byte))
    return { from: a, mint: b, to: null, authority: d, ...amountIn(data.subarray(2)) }
  return null
}

/** Eight bytes of base units, then the decimals. */
const amountIn = (data: Uint8Array) => ({
  units: data.subarray(0, 8).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  decimals: data[8] ?? 0,
})

/** The accounts in which a wallet can have units: its own, and the one for holds that each issuer may have created. */
async function accountsOf(wallet: Bytes, mint: Bytes, issuers: readonly string[]): Promise<string[]> {
  const name = utf8(`${toBase58(mint)}/${toBase58(wallet)}`)
  const seed = utf8(base64url(await sha256(name)).slice(0, 32))
  const program = addressBytes(TOKEN_2022, "program")
  const holds = issuers.map(async (issuer) =>
    toBase58(await sha256(concat(addressBytes(issuer, "issuer"), seed, program))),
  )
  return [await tokenAccountOf(wallet, mint), ...(await Promise.all(holds))]
}

/** Whole tokens, without trailing zeros. */
function tokensOf(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0")
  const [whole, part] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)]
  return part.replace(/0+$/, "") === "" ? whole : `${whole}.${part.replace(/0+$/, "")}`
}
