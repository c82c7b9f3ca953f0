import { createHash } from "node:crypto"
import {
  ComputeBudgetProgram,
  type PublicKey,
  TransactionMessage,
  VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import bs58 from "bs58"
import { MEMO_PROGRAM_ID } from "./addresses.ts"
import { memo } from "./memo.ts"

const SIGNATURE_BYTES = 64

/** Programs that wallets add before they sign: fees, and assertions (https://github.com/Jac0xb/lighthouse). */
const ADDED_BY_WALLETS = new Set([
  ComputeBudgetProgram.programId.toBase58(),
  "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95",
])

/**
 * A hash in place of the recent blockhash, so that no cluster ever accepts the transaction: a block with this hash would
 * require a SHA-256 preimage, and without a nonce instruction it is no durable nonce either.
 */
const neverABlockhash = (nonce: string): string =>
  bs58.encode(createHash("sha256").update(`This is no block of any chain: ${nonce}`).digest())

/** A memo of the wallet that can never land: base64 of the legacy wire format, which hardware wallets read. */
export function unsentTransaction(wallet: PublicKey, text: string, nonce: string): string {
  const message = new TransactionMessage({
    payerKey: wallet,
    recentBlockhash: neverABlockhash(nonce),
    instructions: [memo(text, [wallet])],
  }).compileToLegacyMessage()
  return Buffer.from(new VersionedTransaction(message).serialize()).toString("base64")
}

export type UnsentTransaction = {
  /** The text of the memo. */
  text: Buffer
  /** The signed bytes. */
  message: Buffer
  signature: Buffer
  /** Whether its blockhash is derived from this nonce. */
  isNeverSent: (nonce: string) => boolean
}

/** Reads a signed transaction with one memo of one wallet that does nothing else. Null for any other. */
export function readUnsentTransaction(wire: Buffer, wallet: PublicKey): UnsentTransaction | null {
  // One signature: the wallet's, which is also the fee payer.
  if (wire[0] !== 1) return null
  const signature = wire.subarray(1, 1 + SIGNATURE_BYTES)
  const bytes = wire.subarray(1 + SIGNATURE_BYTES)
  const message = parse(bytes)
  if (message === null || message.header.numRequiredSignatures !== 1) return null
  if (message.addressTableLookups.length > 0 || !message.staticAccountKeys[0]?.equals(wallet)) return null
  const programOf = (index: number) => message.staticAccountKeys[index]?.toBase58() ?? ""
  const instructions = message.compiledInstructions
  const memos = instructions.filter(({ programIdIndex }) => programOf(programIdIndex) === MEMO_TEXT)
  const others = instructions.filter((one) => !memos.includes(one))
  if (memos.length !== 1 || !others.every((one) => ADDED_BY_WALLETS.has(programOf(one.programIdIndex)))) return null
  // The wallet is the first account.
  if (!memos[0]!.accountKeyIndexes.includes(0)) return null
  return {
    text: Buffer.from(memos[0]!.data),
    message: bytes,
    signature,
    isNeverSent: (nonce) => message.recentBlockhash === neverABlockhash(nonce),
  }
}

const MEMO_TEXT = MEMO_PROGRAM_ID.toBase58()

/** Null if the bytes are not a message, or not its canonical encoding. */
function parse(bytes: Buffer): VersionedMessage | null {
  try {
    const message = VersionedMessage.deserialize(bytes)
    return bytes.equals(message.serialize()) ? message : null
  } catch {
    return null
  }
}
