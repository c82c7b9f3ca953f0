import { hash, randomFillSync } from "node:crypto"

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const BYTES = 16

export type IdPrefix =
  | "acct"
  | "ws"
  | "key"
  | "inv"
  | "note"
  | "sess"
  | "att"
  | "blk"
  | "flt"
  | "op"
  | "req"
  | "rev"
  | "evt"
  | "whe"
  | "era"
  | "red"
  | "apol"
  | "apr"
  | "hold"
  | "rec"
  | "pay"
  | "lot"
  | "snap"
  | "anch"
  | "dist"

// Random bytes are drawn 4 KiB at a time: a request id needs no separate system call.
const pool = new Uint8Array(4096)
let poolOffset = pool.length

function draw(): Uint8Array {
  if (poolOffset + BYTES > pool.length) {
    randomFillSync(pool)
    poolOffset = 0
  }
  poolOffset += BYTES
  return pool.subarray(poolOffset - BYTES, poolOffset)
}

const digest = Buffer.alloc(32)

/** A new id: `prefix_` and the base58 form of 16 random bytes (at most 22 characters). */
export const newId = <P extends IdPrefix>(prefix: P): `${P}_${string}` => encode(prefix, draw())

/** Always the same id for the same subject. */
export function derivedId<P extends IdPrefix>(prefix: P, subject: string): `${P}_${string}` {
  // A text written into the same buffer costs a fifth of a new buffer.
  digest.write(hash("sha256", subject, "binary"), "binary")
  return encode(prefix, digest)
}

const LIMB = 2 ** 32
const limb = (bytes: Uint8Array, at: number): number =>
  bytes[at]! * 0x1000000 + bytes[at + 1]! * 0x10000 + bytes[at + 2]! * 0x100 + bytes[at + 3]!

const ONE = ALPHABET.charCodeAt(0)
/** Two characters each, as one number. */
const PAIRS = [...ALPHABET].flatMap((one) => [...ALPHABET].map((two) => one.charCodeAt(0) * 256 + two.charCodeAt(0)))
const BASE = PAIRS.length
const MOST_CHARACTERS = 22
const text = Buffer.alloc(MOST_CHARACTERS)

/**
 * Divides four 32-bit limbs by 58² in turn, which gives two characters. A general encoder takes many times as long.
 * Doubles hold every number here exactly, and `%` of one above 2^31 is slow.
 */
function encode<P extends IdPrefix>(prefix: P, bytes: Uint8Array): `${P}_${string}` {
  let at = MOST_CHARACTERS
  let a = limb(bytes, 0)
  let b = limb(bytes, 4)
  let c = limb(bytes, 8)
  let d = limb(bytes, 12)
  while (a + b + c + d !== 0) {
    let quotient = Math.floor(a / BASE)
    let value = (a - quotient * BASE) * LIMB + b
    a = quotient
    quotient = Math.floor(value / BASE)
    value = (value - quotient * BASE) * LIMB + c
    b = quotient
    quotient = Math.floor(value / BASE)
    value = (value - quotient * BASE) * LIMB + d
    c = quotient
    quotient = Math.floor(value / BASE)
    const pair = PAIRS[value - quotient * BASE]!
    text[--at] = pair % 256
    text[--at] = pair >> 8
    d = quotient
  }
  if (text[at] === ONE) at++
  for (let i = 0; i < BYTES && bytes[i] === 0; i++) text[--at] = ONE
  return `${prefix}_${text.toString("latin1", at)}`
}

/** The format of an id, as a regular expression. */
export const idPattern = (prefix: IdPrefix): string => `^${prefix}_[1-9A-HJ-NP-Za-km-z]{16,22}$`

/** Whether `value` has the format of an id with this prefix. Its object may still not exist. */
export const isId = (prefix: IdPrefix, value: string): boolean =>
  value.length <= prefix.length + 23 && new RegExp(idPattern(prefix)).test(value)
