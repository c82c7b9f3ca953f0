import {
  ComputeBudgetProgram,
  type PublicKey,
  type TransactionInstruction,
  type VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import bs58 from "bs58"
import type { Address } from "#shared/address.ts"
import { addressOf } from "./addresses.ts"
import type { Signer } from "./keys.ts"
import { compileMessage, withSignatures } from "./message.ts"

/** The largest transaction that fits a cluster's packet: 1280 bytes of IPv6 minus the headers. */
export const MAX_TRANSACTION_BYTES = 1232
/** How many accounts a transaction may lock (runtime limit). */
const MAX_ACCOUNTS = 64

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32
const HEADER_BYTES = 3

/** Size in bytes of `n` as Solana's compact-u16 (the length of a short vector). */
const compactLength = (n: number): number => (n < 0x80 ? 1 : n < 0x4000 ? 2 : 3)

/** The exact size of a transaction as instructions are added, so that packing need not compile a message. */
export class TransactionSize {
  readonly #accounts: Set<string>
  readonly #signers: Set<string>
  #instructions = 0
  #instructionBytes = 0

  constructor(from: PublicKey | TransactionSize) {
    if (from instanceof TransactionSize) {
      this.#accounts = new Set(from.#accounts)
      this.#signers = new Set(from.#signers)
      this.#instructions = from.#instructions
      this.#instructionBytes = from.#instructionBytes
    } else {
      this.#accounts = new Set([from.toBase58()])
      this.#signers = new Set([from.toBase58()])
    }
  }

  /** Returns a copy with more instructions. */
  with(instructions: readonly TransactionInstruction[]): TransactionSize {
    const next = new TransactionSize(this)
    for (const instruction of instructions) next.#add(instruction)
    return next
  }

  #add({ programId, keys, data }: TransactionInstruction): void {
    this.#accounts.add(programId.toBase58())
    for (const { pubkey, isSigner } of keys) {
      this.#accounts.add(pubkey.toBase58())
      if (isSigner) this.#signers.add(pubkey.toBase58())
    }
    this.#instructions++
    this.#instructionBytes += 1 + compactLength(keys.length) + keys.length + compactLength(data.length) + data.length
  }

  get bytes(): number {
    return (
      compactLength(this.#signers.size) +
      this.#signers.size * SIGNATURE_BYTES +
      HEADER_BYTES +
      compactLength(this.#accounts.size) +
      this.#accounts.size * ADDRESS_BYTES +
      ADDRESS_BYTES + // blockhash
      compactLength(this.#instructions) +
      this.#instructionBytes
    )
  }

  get fits(): boolean {
    return this.bytes <= MAX_TRANSACTION_BYTES && this.#accounts.size <= MAX_ACCOUNTS
  }
}

/**
 * Instructions that request compute units and offer a price for each in micro-lamports, unless the price is 0.
 * Requested units are paid for even if unused, and a block holds only so many. If there is a `marker`, the first
 * instruction names it. The program ignores accounts, so naming one changes nothing else.
 */
export function computeBudget({
  units,
  price,
  marker = null,
}: {
  units: number
  price: number
  marker?: PublicKey | null
}): TransactionInstruction[] {
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units })
  if (marker) limit.keys.push({ pubkey: marker, isSigner: false, isWritable: false })
  return [limit, ...(price > 0 ? [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price })] : [])]
}

/** A cluster's fee for each signature, in lamports (agave: `DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE`). */
const FEE_PER_SIGNATURE = 5000
/** The minimum fee of a Vouch transaction: the fee payer and an authority sign it. */
export const FEE_PER_TRANSACTION = 2 * FEE_PER_SIGNATURE

/** The fee of a transaction in lamports, whether it succeeds or fails. */
export const feeOf = ({ signatures, units, price }: { signatures: number; units: number; price: number }): number =>
  signatures * FEE_PER_SIGNATURE + Math.ceil((units * price) / 1_000_000)

/** How many blocks a blockhash stays valid (https://solana.com/docs/core/transactions#recent-blockhash). */
export const BLOCKHASH_HEIGHTS = 150

/** The blockhash of a signed transaction. */
export const blockhashOf = (wire: Uint8Array): string => VersionedTransaction.deserialize(wire).message.recentBlockhash

/** The instructions of a transaction in wire format. */
export const messageIn = (wire: Uint8Array): VersionedMessage => VersionedTransaction.deserialize(wire).message

/** The fee payer of a transaction in wire format. */
export const feePayerIn = (wire: Uint8Array): Address => addressOf(messageIn(wire).staticAccountKeys[0]!)

export type SignedTransaction = { signature: string; wire: Buffer }

export type UnsignedTransaction = { instructions: TransactionInstruction[]; signers: readonly Signer[] }

/** Compiles transactions and asks each key once for all its signatures. Rejects with the error of a signer. */
export async function signTransactions(
  unsigned: readonly UnsignedTransaction[],
  { feePayer, blockhash }: { feePayer: Signer; blockhash: string },
): Promise<SignedTransaction[]> {
  const messages = unsigned.map(({ instructions }) => compileMessage(feePayer.publicKey, blockhash, instructions))
  const signatures = messages.map(() => new Map<Address, Uint8Array>())
  const toSign = new Map<Signer, number[]>()
  for (const i of messages.keys()) {
    for (const signer of new Set([feePayer, ...unsigned[i]!.signers])) {
      if (!messages[i]!.signers.includes(addressOf(signer.publicKey)))
        throw new Error(`${addressOf(signer.publicKey)} signs nothing of this transaction`)
      const own = toSign.get(signer) ?? []
      toSign.set(signer, own)
      own.push(i)
    }
  }
  const signing = [...toSign].map(async ([signer, own]) => {
    const signed = await signer.sign(own.map((i) => messages[i]!.bytes))
    for (const [n, i] of own.entries()) signatures[i]!.set(addressOf(signer.publicKey), signed[n]!)
  })
  await Promise.all(signing)
  return messages.map((message, i) => ({
    signature: bs58.encode(signatures[i]!.get(addressOf(feePayer.publicKey))!),
    wire: withSignatures(message, signatures[i]!),
  }))
}
