import { createHash } from "node:crypto"
import { closeSync, existsSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs"
import { type Key, keyOfBytes } from "./keys.ts"

/** How many blocks a blockhash is accepted for (`MAX_PROCESSING_AGE`). */
export const BLOCKHASH_BLOCKS = 150
/** Slots until a block is rooted: a vote's lockout of 2^31 begins after 31 more votes (`MAX_LOCKOUT_HISTORY`). */
export const FINALITY_SLOTS = 31

export type Commitment = "processed" | "confirmed" | "finalized"
export const lagOf = { processed: 0, confirmed: 1, finalized: FINALITY_SLOTS } as const satisfies Record<
  Commitment,
  number
>

/**
 * On a cluster slots are skipped, so the slot runs ahead of the block height, and a program that mistakes one for
 * the other gives up on transactions that may still land. The distance here makes that mistake show at once.
 */
const SLOTS_AHEAD_OF_HEIGHT = 1_000

/** A chain that has just begun already has this many blocks behind it, so that `finalized` has something to name. */
const FIRST_HEIGHT = 64

/**
 * The passing of blocks. The height is written to a file before anybody can see it: a localnet that was killed goes
 * on at the very next block. A blockhash is a hash of the chain's genesis and its height, so nothing else needs to
 * be kept to know, after a start, which ones are still good.
 */
export class Slots {
  readonly #genesisHash: Key
  readonly #heightFile: number | null
  readonly #heightByHash = new Map<Key, number>()
  #height: number

  constructor(genesisHash: Key, path: string | null) {
    this.#genesisHash = genesisHash
    this.#heightFile = path === null ? null : openSync(path, existsSync(path) ? "r+" : "w+")
    this.#height = this.#read() ?? FIRST_HEIGHT
    const oldest = Math.max(0, this.#height - BLOCKHASH_BLOCKS)
    for (let height = oldest; height <= this.#height; height++) this.#remember(height)
    this.advance(1)
  }

  height(commitment: Commitment = "processed"): number {
    return this.#height - lagOf[commitment]
  }

  slot(commitment: Commitment = "processed"): number {
    return this.slotOfHeight(this.height(commitment))
  }

  slotOfHeight(height: number): number {
    return height + SLOTS_AHEAD_OF_HEIGHT
  }

  heightOfSlot(slot: number): number {
    return slot - SLOTS_AHEAD_OF_HEIGHT
  }

  reached(slot: number, commitment: Commitment): boolean {
    return slot <= this.slot(commitment)
  }

  advance(blocks: number) {
    const height = this.#height + blocks
    this.#write(height)
    this.#height = height
    for (let each = Math.max(height - blocks + 1, height - BLOCKHASH_BLOCKS); each <= height; each++)
      this.#remember(each)
    // A Map keeps the order of insertion, which is the order of heights.
    for (const [hash, remembered] of this.#heightByHash) {
      if (remembered >= height - BLOCKHASH_BLOCKS) break
      this.#heightByHash.delete(hash)
    }
  }

  blockhash(height: number): Key {
    const bytes = createHash("sha256").update(this.#genesisHash, "latin1").update(String(height)).digest()
    return keyOfBytes(bytes)
  }

  /** Whether a transaction with this blockhash may land now: its height plus 150 is not passed. */
  isRecent(blockhash: Key, commitment: Commitment = "processed"): boolean {
    const height = this.#heightByHash.get(blockhash)
    return height !== undefined && height <= this.height(commitment)
  }

  close() {
    if (this.#heightFile !== null) closeSync(this.#heightFile)
  }

  #remember(height: number) {
    this.#heightByHash.set(this.blockhash(height), height)
  }

  /** Eight bytes at one place: a kill finds either the old number or the new one. */
  #write(height: number) {
    if (this.#heightFile === null) return
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(height))
    writeSync(this.#heightFile, bytes, 0, 8, 0)
  }

  #read(): number | null {
    if (this.#heightFile === null) return null
    const bytes = Buffer.alloc(8)
    if (readSync(this.#heightFile, bytes, 0, 8, 0) === 8) return Number(bytes.readBigUInt64LE())
    ftruncateSync(this.#heightFile, 0)
    return null
  }
}
