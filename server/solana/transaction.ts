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

/** Largest transaction that a cluster's packets carry: 1280 bytes of an IPv6 packet less its headers. */
export const MAX_TRANSACTION_BYTES = 1232
/** Accounts that one transaction may lock (runtime limit). */
const MAX_ACCOUNTS = 64

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32
const HEADER_BYTES = 3

/** Bytes of Solana's compact-u16 form of `n` (short vector lengths). */
const compactLength = (n: number): number => (n < 0x80 ? 1 : n < 0x4000 ? 2 : 3)

/**
 * The exact size of the transaction that instructions will become, kept up to date while more are added: so
 * that packing asks "does one more fit?" without compiling a message each time.
 */
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

  /** A copy that holds more instructions; this one stays as it is. */
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
    this.#instructionBytes +=
      1 + compactLength(keys.length) + keys.length + compactLength(data.length) + data.length
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
 * Instructions that ask for so many compute units, and offer a price for each in micro-lamports, unless that is 0. Both
 * are paid for whether used or not, and a block has room for only so many. They name the `marker`, if there is one: the
 * program looks at no account.
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

/** What a cluster takes for each signature, in lamports (agave: `DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE`). */
const FEE_PER_SIGNATURE = 5000
/** The least that a transaction of ours costs: the fee payer signs it, and an authority. */
export const FEE_PER_TRANSACTION = 2 * FEE_PER_SIGNATURE

/** What a transaction costs in lamports, whether it takes effect or fails, apart from what its instructions move. */
export const feeOf = ({
  signatures,
  units,
  price,
}: {
  signatures: number
  units: number
  price: number
}): number => signatures * FEE_PER_SIGNATURE + Math.ceil((units * price) / 1_000_000)

/** Block heights for which a blockhash is valid (https://solana.com/docs/core/transactions#recent-blockhash). */
export const BLOCKHASH_HEIGHTS = 150

/** The blockhash that a transaction was signed for. */
export const blockhashOf = (wire: Uint8Array): string =>
  VersionedTransaction.deserialize(wire).message.recentBlockhash

/** What a transaction does, by its bytes. */
export const messageIn = (wire: Uint8Array): VersionedMessage =>
  VersionedTransaction.deserialize(wire).message

/** Who pays for a transaction, by its bytes. */
export const feePayerIn = (wire: Uint8Array): Address => addressOf(messageIn(wire).staticAccountKeys[0]!)

export type SignedTransaction = { signature: string; wire: Buffer }

export type UnsignedTransaction = { instructions: TransactionInstruction[]; signers: readonly Signer[] }

/**
 * Compiles transactions, and has each key sign all that are its to sign at once. Signatures are known before anything
 * is sent. What a signer throws is thrown.
 */
export async function signTransactions(
  unsigned: readonly UnsignedTransaction[],
  { feePayer, blockhash }: { feePayer: Signer; blockhash: string },
): Promise<SignedTransaction[]> {
  const messages = unsigned.map(({ instructions }) =>
    compileMessage(feePayer.publicKey, blockhash, instructions),
  )
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
