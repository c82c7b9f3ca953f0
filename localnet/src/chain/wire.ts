import bs58 from "bs58"
import { isMemoProgram, type Key, keyAt } from "./keys.ts"

/** A cluster's limit for a packet, and so for a transaction (`PACKET_DATA_SIZE`). LiteSVM has no limit. */
export const PACKET_BYTES = 1232
/** The same for version 1 (SIMD-0385). */
export const MAX_TRANSACTION_BYTES = 4096

type Instruction = { programIdIndex: number; accounts: Uint8Array; data: Buffer }
type TableLookup = { table: Key; writable: Uint8Array; readonly: Uint8Array }

export type Transaction = {
  /** The transaction's bytes, without any that follow it. */
  wire: Buffer
  message: Message
  /** The first signature, in base58: the transaction's id. */
  signature: string
  signatures: Buffer[]
}

export type Message = {
  version: "legacy" | 0 | 1
  requiredSignatures: number
  readonlySigned: number
  readonlyUnsigned: number
  /** Static account keys only. Those of lookup tables come after them. */
  keys: Key[]
  blockhash: Key
  instructions: Instruction[]
  lookups: TableLookup[]
  /** The fee and limits of version 1. Null in other versions, which set them by instructions. */
  config: TransactionConfig | null
}

type TransactionConfig = {
  /** Total lamports, not a price per unit. */
  priorityFee: bigint | null
  computeUnitLimit: number | null
  loadedAccountsDataSizeLimit: number | null
  heapSize: number | null
}

/** The bytes are not a transaction. `sanitize`: they have the form of one, but contradict themselves. */
export class WireError extends Error {
  readonly sanitize: boolean
  constructor(message: string, sanitize = false) {
    super(message)
    this.sanitize = sanitize
  }
}

/**
 * Reads a signed transaction as a cluster does (bincode, "short u16" lengths, then `sanitize`). It must be as strict as
 * LiteSVM's own reader, which aborts the process on bytes that it cannot read.
 */
export function parseTransaction(bytes: Buffer): Transaction {
  const reader = new Reader(bytes)
  // In version 1 the message comes first, and then as many signatures as it requires.
  const first = isVersion1(bytes) ? readMessage(reader) : null
  const count = first?.requiredSignatures ?? reader.length()
  const signatures = Array.from({ length: count }, () => reader.take(64))
  const message = first ?? readMessage(reader)
  if (first === null && message.version === 1) throw new WireError("version 1 begins with its message")
  if (count !== message.requiredSignatures) throw sanitizeError("signatures and the header's count differ")
  return {
    wire: bytes.subarray(0, reader.offset),
    message,
    signature: flat(bs58.encode(signatures[0]!)),
    signatures,
  }
}

const VERSION_1 = 0x81
export const isVersion1 = (bytes: Buffer): boolean => bytes[0] === VERSION_1

/** bs58 builds text character by character, and V8 keeps it as a chain of pieces, thirty times its size. */
const flat = (text: string) => Buffer.from(text, "latin1").toString("latin1")

export function parseMessage(bytes: Buffer): Message {
  return readMessage(new Reader(bytes))
}

function readMessage(reader: Reader): Message {
  const first = reader.peek()
  if (first === VERSION_1) return readMessage1(reader)
  const versioned = (first & 0x80) !== 0
  if (versioned && first !== 0x80) throw new WireError(`message version ${first & 0x7f} is not supported`)
  if (versioned) reader.byte()
  const requiredSignatures = reader.byte()
  const readonlySigned = reader.byte()
  const readonlyUnsigned = reader.byte()
  const keys = Array.from({ length: reader.length() }, () => reader.key())
  const blockhash = reader.key()
  const instructions = Array.from({ length: reader.length() }, () => ({
    programIdIndex: reader.byte(),
    accounts: reader.take(reader.length()) as Uint8Array,
    data: reader.take(reader.length()),
  }))
  const lookups = !versioned
    ? []
    : Array.from({ length: reader.length() }, () => ({
        table: reader.key(),
        writable: reader.take(reader.length()) as Uint8Array,
        readonly: reader.take(reader.length()) as Uint8Array,
      }))
  const version = versioned ? 0 : "legacy"
  const message: Message = {
    version,
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    keys,
    blockhash,
    instructions,
    lookups,
    config: null,
  }
  sanitize(message)
  return message
}

const VERSION_1_LIMITS = { signatures: 12, keys: 64, instructions: 64 } as const
/** Bits of the mask: two for the fee, which is twice as long, and one for each limit. */
const CONFIG = {
  priorityFee: 3,
  computeUnitLimit: 4,
  loadedAccountsDataSizeLimit: 8,
  heapSize: 16,
  all: 31,
} as const

function readMessage1(reader: Reader): Message {
  reader.byte()
  const [requiredSignatures, readonlySigned, readonlyUnsigned] = [reader.byte(), reader.byte(), reader.byte()]
  const mask = reader.take(4).readUInt32LE()
  const feeBits = mask & CONFIG.priorityFee
  if (mask > CONFIG.all || (feeBits !== 0 && feeBits !== CONFIG.priorityFee))
    throw sanitizeError("unknown configuration")
  const blockhash = reader.key()
  const [instructionCount, keyCount] = [reader.byte(), reader.byte()]
  const max = VERSION_1_LIMITS
  if (requiredSignatures > max.signatures || keyCount > max.keys || instructionCount > max.instructions)
    throw sanitizeError("more than version 1 allows")
  const keys = Array.from({ length: keyCount }, () => reader.key())
  const limit = (bit: number) => (mask & bit ? reader.take(4).readUInt32LE() : null)
  const config: TransactionConfig = {
    priorityFee: feeBits === 0 ? null : reader.take(8).readBigUInt64LE(),
    computeUnitLimit: limit(CONFIG.computeUnitLimit),
    loadedAccountsDataSizeLimit: limit(CONFIG.loadedAccountsDataSizeLimit),
    heapSize: limit(CONFIG.heapSize),
  }
  const headers = Array.from({ length: instructionCount }, () => {
    const [programIdIndex, accounts] = [reader.byte(), reader.byte()]
    return { programIdIndex, accounts, data: reader.take(2).readUInt16LE() }
  })
  const instructions = headers.map(({ programIdIndex, accounts, data }) => ({
    programIdIndex,
    accounts: reader.take(accounts) as Uint8Array,
    data: reader.take(data),
  }))
  const header = { requiredSignatures, readonlySigned, readonlyUnsigned }
  const message: Message = { version: 1, ...header, keys, blockhash, instructions, lookups: [], config }
  sanitize(message)
  return message
}

/** The rules of `Message::sanitize` in the Solana SDK. */
function sanitize(message: Message) {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys, instructions, lookups } = message
  if (readonlySigned >= requiredSignatures) throw sanitizeError("the fee payer is not writable")
  if (requiredSignatures + readonlyUnsigned > keys.length)
    throw sanitizeError("the header counts more keys than the message has")
  let loaded = 0
  for (const lookup of lookups) {
    const count = lookup.writable.length + lookup.readonly.length
    if (count === 0) throw sanitizeError("an empty table lookup")
    loaded += count
  }
  if (keys.length + loaded > 256) throw sanitizeError("more than 256 accounts")
  for (const { programIdIndex, accounts } of instructions) {
    if (programIdIndex === 0 || programIdIndex >= keys.length) throw sanitizeError("a program index out of range")
    for (const index of accounts)
      if (index >= keys.length + loaded) throw sanitizeError("an account index out of range")
  }
}

const sanitizeError = (why: string) => new WireError(why, true)

export function isWritable(message: Message, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys } = message
  return index < requiredSignatures
    ? index < requiredSignatures - readonlySigned
    : index < keys.length - readonlyUnsigned
}

/** All memos as a cluster lists them with a signature: `[length] text`, joined by `; `. */
export function memoOf(message: Message): string | null {
  const memos: string[] = []
  for (const { programIdIndex, data } of message.instructions)
    if (isMemoProgram(message.keys[programIdIndex]!)) memos.push(`[${data.length}] ${data.toString("utf8")}`)
  return memos.length === 0 ? null : memos.join("; ")
}

class Reader {
  readonly bytes: Buffer
  offset = 0
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  peek(): number {
    const value = this.bytes[this.offset]
    if (value === undefined) throw new WireError("unexpected end of file")
    return value
  }

  byte(): number {
    const value = this.peek()
    this.offset += 1
    return value
  }

  take(length: number): Buffer {
    const end = this.offset + length
    if (end > this.bytes.length) throw new WireError("unexpected end of file")
    const taken = this.bytes.subarray(this.offset, end)
    this.offset = end
    return taken
  }

  key(): Key {
    const at = this.offset
    this.take(32)
    return keyAt(this.bytes, at)
  }

  /** "Short u16": seven bits per byte, low bits first, in the shortest form only. */
  length(): number {
    let value = 0
    for (let position = 0; position < 3; position++) {
      const byte = this.byte()
      if (position > 0 && byte === 0) throw new WireError("short u16: non-canonical encoding")
      value |= (byte & 0x7f) << (7 * position)
      if (byte < 0x80) {
        if (value > 0xffff) break
        return value
      }
    }
    throw new WireError("short u16: overflow")
  }
}
