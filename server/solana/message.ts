import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import bs58 from "bs58"
import type { Address } from "#shared/address.ts"
import { addressOf } from "./addresses.ts"

/** A transaction's message, and who signs it, in the order of their signatures. */
export type Message = { bytes: Buffer; signers: Address[] }

type Account = { key: PublicKey; isSigner: boolean; isWritable: boolean; index: number }

const ADDRESS_BYTES = 32

/**
 * The bytes of a legacy message (https://solana.com/docs/core/transactions#message), as web3.js compiles them
 * (`message.unit.test.ts` compares the two), but in a third of the time. web3.js encodes each key in base58 several
 * times and builds each field from a layout.
 */
export function compileMessage(
  payer: PublicKey,
  blockhash: string,
  instructions: readonly TransactionInstruction[],
): Message {
  const accounts = accountsOf(payer, instructions)
  const all = [...accounts.values()]
  const ordered = [
    ...all.filter((one) => one.isSigner && one.isWritable),
    ...all.filter((one) => one.isSigner && !one.isWritable),
    ...all.filter((one) => !one.isSigner && one.isWritable),
    ...all.filter((one) => !one.isSigner && !one.isWritable),
  ]
  for (const [index, one] of ordered.entries()) one.index = index
  const signers = ordered.filter(({ isSigner }) => isSigner)
  const bytes = Buffer.allocUnsafe(sizeOf(ordered.length, instructions))
  let at = 0
  const put = (byte: number) => {
    bytes[at++] = byte
  }
  const putLength = (length: number) => {
    for (let rest = length; ; rest >>= 7) {
      if (rest < 0x80) return put(rest)
      put((rest & 0x7f) | 0x80)
    }
  }
  const putAll = (some: Uint8Array) => {
    bytes.set(some, at)
    at += some.length
  }
  put(signers.length)
  put(signers.filter(({ isWritable }) => !isWritable).length)
  put(ordered.filter(({ isSigner, isWritable }) => !isSigner && !isWritable).length)
  putLength(ordered.length)
  for (const { key } of ordered) putAll(key.toBytes())
  putAll(bs58.decode(blockhash))
  putLength(instructions.length)
  const indexOf = (key: PublicKey) => accounts.get(addressOf(key))!.index
  for (const { programId, keys, data } of instructions) {
    put(indexOf(programId))
    putLength(keys.length)
    for (const { pubkey } of keys) put(indexOf(pubkey))
    putLength(data.length)
    putAll(data)
  }
  return { bytes: bytes.subarray(0, at), signers: signers.map(({ key }) => addressOf(key)) }
}

/** All accounts in the order of their first appearance, with the rights that the instructions require. */
function accountsOf(payer: PublicKey, instructions: readonly TransactionInstruction[]): Map<Address, Account> {
  const accounts = new Map<Address, Account>()
  const add = (key: PublicKey, isSigner: boolean, isWritable: boolean) => {
    const address = addressOf(key)
    const known = accounts.get(address)
    if (!known) return void accounts.set(address, { key, isSigner, isWritable, index: 0 })
    known.isSigner ||= isSigner
    known.isWritable ||= isWritable
  }
  add(payer, true, true)
  for (const { programId, keys } of instructions) {
    add(programId, false, false)
    for (const { pubkey, isSigner, isWritable } of keys) add(pubkey, isSigner, isWritable)
  }
  return accounts
}

/** Enough bytes for the message: every length takes at most three. */
const sizeOf = (accounts: number, instructions: readonly TransactionInstruction[]): number =>
  instructions.reduce(
    (sum, { keys, data }) => sum + 1 + 3 + keys.length + 3 + data.length,
    3 + 3 + (accounts + 1) * ADDRESS_BYTES + 3,
  )

/** The bytes to send: all signatures, then the message. Missing signatures are zeros. */
export function withSignatures({ bytes, signers }: Message, signatures: ReadonlyMap<Address, Uint8Array>): Buffer {
  const zeros = new Uint8Array(64)
  const head = Buffer.from([signers.length])
  return Buffer.concat([head, ...signers.map((signer) => signatures.get(signer) ?? zeros), bytes])
}
