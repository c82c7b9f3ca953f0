import { createHash } from "node:crypto"
import { type Fork, openSlotsFile, type SlotsFile } from "../storage/slots-file.ts"
import { type Key, keyOfBytes } from "./keys.ts"

/** How many blocks a blockhash is accepted for (`MAX_PROCESSING_AGE`). */
export const BLOCKHASH_BLOCKS = 150
/** Blocks until one is rooted: a vote's lockout of 2^31 begins after 31 more votes (`MAX_LOCKOUT_HISTORY`). */
const FINALITY_BLOCKS = 31

export type Commitment = "processed" | "confirmed" | "finalized"
const lagOf = { processed: 0, confirmed: 1, finalized: FINALITY_BLOCKS } as const satisfies Record<
  Commitment,
  number
>

/**
 * On a cluster slots are skipped, so the slot runs ahead of the block height, and a program that mistakes one for
 * the other gives up on transactions that may still land. The distance here makes that mistake show at once.
 */
const SLOTS_AHEAD_OF_HEIGHT = 1_000

/** A chain that has just begun already has this many blocks behind it, so that `finalized` has something to name. */
const FIRST_SLOT = SLOTS_AHEAD_OF_HEIGHT + 64

/**
 * The passing of slots. The number is written to a file before anybody can see it: a localnet that was killed goes
 * on at the very next slot. A blockhash is a hash of the chain's genesis and its slot, so nothing else needs to
 * be kept to know, after a start, which ones are still good.
 */
export class Slots {
  readonly #genesisHash: Key
  readonly #file: SlotsFile | null
  readonly #heightByHash = new Map<Key, number>()
  #slot: number
  #forks: readonly Fork[]

  constructor(genesisHash: Key, path: string | null) {
    this.#genesisHash = genesisHash
    this.#file = path === null ? null : openSlotsFile(path)
    this.#slot = SLOTS_AHEAD_OF_HEIGHT + (this.#file?.number() ?? FIRST_SLOT - SLOTS_AHEAD_OF_HEIGHT)
    this.#forks = this.#file?.forks() ?? []
    const newest = this.height()
    for (let height = Math.max(0, newest - BLOCKHASH_BLOCKS); height <= newest; height++)
      this.#remember(height)
    this.advance(1)
  }

  height(commitment: Commitment = "processed"): number {
    const height = this.heightOfSlot(this.#slot) - lagOf[commitment]
    const root = this.#forks.at(-1)?.root
    return root === undefined ? height : Math.max(height, this.heightOfSlot(root))
  }

  slot(commitment: Commitment = "processed"): number {
    return this.slotOfHeight(this.height(commitment))
  }

  slotOfHeight(height: number): number {
    let slot = height + SLOTS_AHEAD_OF_HEIGHT
    for (const { parent, to } of this.#forks) if (slot > parent) slot += to - parent - 1
    return slot
  }

  /** The height of the slot's block, or of the last one before it where it has none. */
  heightOfSlot(slot: number): number {
    let skipped = 0
    for (const { parent, to } of this.#forks) if (slot > parent) skipped += Math.min(slot, to - 1) - parent
    return slot - skipped - SLOTS_AHEAD_OF_HEIGHT
  }

  hasBlock(slot: number): boolean {
    return !this.#forks.some(({ parent, to }) => slot > parent && slot < to)
  }

  /** Whether the slot's block has this commitment. */
  reached(slot: number, commitment: Commitment): boolean {
    return slot <= this.slot(commitment)
  }

  advance(blocks: number) {
    this.#file?.write(this.#slot + blocks - SLOTS_AHEAD_OF_HEIGHT)
    this.#slot += blocks
    const height = this.height()
    for (let each = Math.max(height - blocks + 1, height - BLOCKHASH_BLOCKS); each <= height; each++)
      this.#remember(each)
    // A Map keeps the order of insertion, which is the order of heights.
    for (const [hash, remembered] of this.#heightByHash) {
      if (remembered >= height - BLOCKHASH_BLOCKS) break
      this.#heightByHash.delete(hash)
    }
  }

  /**
   * The chain goes on from the block of slot `parent`, which must not be below what is finalized, in the slot after
   * this one. The blocks between never were: neither are their blockhashes.
   */
  rollback(parent: number) {
    const root = this.slot("finalized")
    const height = this.heightOfSlot(parent)
    for (const [hash, remembered] of this.#heightByHash)
      if (remembered > height) this.#heightByHash.delete(hash)
    const before = this.#forks.filter((fork) => fork.to <= parent)
    this.#forks = [...before, { parent, to: this.#slot + 1, root }]
    this.#file?.writeForks(this.#forks)
    this.advance(1)
  }

  blockhash(height: number): Key {
    const number = String(this.slotOfHeight(height) - SLOTS_AHEAD_OF_HEIGHT)
    const bytes = createHash("sha256").update(this.#genesisHash, "latin1").update(number).digest()
    return keyOfBytes(bytes)
  }

  /** The slots of the last blocks before this one, newest first, with their hashes. */
  before(count: number): { slot: number; hash: Key }[] {
    const newest = this.height() - 1
    return Array.from({ length: Math.min(count, newest) }, (_, age) => ({
      slot: this.slotOfHeight(newest - age),
      hash: this.blockhash(newest - age),
    }))
  }

  /** Whether a transaction with this blockhash may land now: its height plus 150 is not passed. */
  isRecent(blockhash: Key, commitment: Commitment = "processed"): boolean {
    const height = this.#heightByHash.get(blockhash)
    return height !== undefined && height <= this.height(commitment)
  }

  close() {
    this.#file?.close()
  }

  #remember(height: number) {
    this.#heightByHash.set(this.blockhash(height), height)
  }
}
