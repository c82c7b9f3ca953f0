import { bytesOfKey, type Key, keyAt } from "../chain/keys.ts"
import type { TransactionError } from "../chain/transaction-errors.ts"
import type { Account } from "../chain/vm.ts"
import { MAX_TRANSACTION_BYTES } from "../chain/wire.ts"

/** A token account's balance. 32-byte values are base64, because base58 is too slow for the hot path. */
export type TokenBalance = {
  index: number
  mint: string
  owner: string
  program: string
  amount: string
  decimals: number
}

/** A transaction's meta as it is stored. Lamports are decimal text. */
export type Meta = {
  err: TransactionError | null
  fee: number
  computeUnits: number
  logs: string[]
  inner: {
    index: number
    instructions: { program: number; accounts: number[]; data: string; height: number }[]
  }[]
  returnData: { program: string; data: string } | null
  pre: string[]
  post: string[]
  preTokens: TokenBalance[]
  postTokens: TokenBalance[]
  /** Addresses from lookup tables, base64. */
  loaded: { writable: string[]; readonly: string[] }
}

export type Change = { key: Key; account: Account }

/** A transaction that landed, with its effects. */
export type LandedRecord = { slot: number; unixSeconds: number; wire: Buffer; meta: Meta; changes: Change[] }

/** u48 slot, u48 time, u8 failed, u16 length of the transaction: what the index needs comes first. */
const FRONT_BYTES = 15
/** Enough for a record's front and the longest transaction. */
export const FRONT_AND_WIRE_BYTES = FRONT_BYTES + MAX_TRANSACTION_BYTES

export function encodeRecord({ slot, unixSeconds, wire, meta, changes }: LandedRecord): Buffer {
  const front = Buffer.allocUnsafe(FRONT_BYTES)
  front.writeUIntLE(slot, 0, 6)
  front.writeUIntLE(unixSeconds, 6, 6)
  front.writeUInt8(meta.err === null ? 0 : 1, 12)
  front.writeUInt16LE(wire.length, 13)
  const json = Buffer.from(JSON.stringify(meta))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(json.length)
  return Buffer.concat([front, wire, length, json, ...changes.map(encodeChange)])
}

export function decodeFront(body: Buffer) {
  return {
    slot: body.readUIntLE(0, 6),
    unixSeconds: body.readUIntLE(6, 6),
    failed: body.readUInt8(12) === 1,
    wire: body.subarray(FRONT_BYTES, FRONT_BYTES + body.readUInt16LE(13)),
  }
}

export function decodeMeta(body: Buffer): Meta {
  const { start, end } = metaRange(body)
  return JSON.parse(body.toString("utf8", start, end)) as Meta
}

export function decodeChanges(body: Buffer): Iterable<Change> {
  return readChanges(body, metaRange(body).end)
}

function metaRange(body: Buffer) {
  const at = FRONT_BYTES + body.readUInt16LE(13)
  return { start: at + 4, end: at + 4 + body.readUInt32LE(at) }
}

/** Key, owner, u64 lamports, u8 executable, u32 length, data. */
const CHANGE_BYTES = 32 + 32 + 8 + 1 + 4

export function encodeChange({ key, account }: Change): Buffer {
  const bytes = Buffer.allocUnsafe(CHANGE_BYTES + account.data.length)
  bytes.write(key, 0, "latin1")
  bytes.write(account.owner, 32, "latin1")
  bytes.writeBigUInt64LE(account.lamports, 64)
  bytes.writeUInt8(account.executable ? 1 : 0, 72)
  bytes.writeUInt32LE(account.data.length, 73)
  account.data.copy(bytes, CHANGE_BYTES)
  return bytes
}

export function* readChanges(bytes: Buffer, from: number): Iterable<Change> {
  for (let at = from; at < bytes.length; ) {
    const end = at + CHANGE_BYTES + bytes.readUInt32LE(at + 73)
    yield {
      key: keyAt(bytes, at),
      account: {
        owner: keyAt(bytes, at + 32),
        lamports: bytes.readBigUInt64LE(at + 64),
        executable: bytes.readUInt8(at + 72) === 1,
        data: Buffer.from(bytes.subarray(at + CHANGE_BYTES, end)),
      },
    }
    at = end
  }
}

export const base64OfKey = (key: Key): string => bytesOfKey(key).toString("base64")
