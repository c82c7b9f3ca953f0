import { randomInt } from "node:crypto"

export const KEY_BYTES = 32
const LEAST = 1024

/**
 * A set of 32-byte addresses in two blocks outside the heap: 42 MB for a million (bench/README.md compares a `Set` of
 * strings). Slots point to keys, and at least half of the slots are empty.
 */
export class AddressSet {
  #keys: Buffer
  #slots: Uint32Array
  #size = 0
  /** Random, so that the author of a list cannot make its addresses collide. */
  readonly #seed = randomInt(2 ** 32)

  /** Reserves room for `expected` keys, because growing places all keys again in one step. */
  constructor(expected = 0) {
    const room = 2 ** Math.ceil(Math.log2(Math.max(LEAST, expected + 1)))
    this.#keys = Buffer.alloc(room * KEY_BYTES)
    this.#slots = new Uint32Array(room * 2)
  }

  get size(): number {
    return this.#size
  }

  /** Adds the key at offset `at`, unless the set has it. */
  add(from: Uint8Array, at = 0): void {
    const slot = this.#find(from, at)
    if (this.#slots[slot] !== 0) return
    this.#keys.set(from.subarray(at, at + KEY_BYTES), this.#size * KEY_BYTES)
    this.#size += 1
    this.#slots[slot] = this.#size
    if (this.#size * KEY_BYTES === this.#keys.length) this.#grow()
  }

  has(key: Uint8Array): boolean {
    return key.length === KEY_BYTES && this.#slots[this.#find(key, 0)] !== 0
  }

  /** All keys, in parts of at most `keys`. */
  *parts(keys: number): Generator<Buffer> {
    for (let from = 0; from < this.#size; from += keys)
      yield this.#keys.subarray(from * KEY_BYTES, Math.min(from + keys, this.#size) * KEY_BYTES)
  }

  /** The slot of a key, or the empty slot for it. */
  #find(from: Uint8Array, at: number): number {
    const mask = this.#slots.length - 1
    let slot = this.#hash(from, at) & mask
    for (;;) {
      const n = this.#slots[slot]!
      if (n === 0 || this.#isAt((n - 1) * KEY_BYTES, from, at)) return slot
      slot = (slot + 1) & mask
    }
  }

  #isAt(place: number, from: Uint8Array, at: number): boolean {
    for (let i = 0; i < KEY_BYTES; i++) if (this.#keys[place + i] !== from[at + i]) return false
    return true
  }

  #hash(from: Uint8Array, at: number): number {
    let hash = this.#seed
    for (let i = at; i < at + KEY_BYTES; i++) hash = Math.imul(hash ^ from[i]!, 0x01000193)
    return (hash ^ (hash >>> 15)) >>> 0
  }

  #grow(): void {
    const keys = Buffer.alloc(this.#keys.length * 2)
    this.#keys.copy(keys)
    this.#keys = keys
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let n = 1; n <= this.#size; n++) this.#slots[this.#find(keys, (n - 1) * KEY_BYTES)] = n
  }
}
