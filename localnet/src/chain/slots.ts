import { createHash } from "node:crypto"
import { type Fork, openSlotsFile, type SlotsFile } from "../storage/slots-file.ts"
import { type Key, keyOfBytes } from "./keys.ts"

/** The number of blocks for which a blockhash is accepted (`MAX_PROCESSING_AGE`). */
export const BLOCKHASH_BLOCKS = 150
/** Blocks until a block is rooted: a vote's lockout reaches 2^31 after 31 more votes (`MAX_LOCKOUT_HISTORY`). */
const FINALITY_BLOCKS = 31

export type Commitment = "processed" | "confirmed" | "finalized"
const lagOf = { processed: 0, confirmed: 1, finalized: FINALITY_BLOCKS } as const satisfies Record<Commitment, number>

/**
 * A cluster skips slots, so the slot runs ahead of the block height. A program that confuses the two gives up on
 * transactions that may still land. With this distance, it fails at once.
 */
const SLOTS_AHEAD_OF_HEIGHT = 1_000

/** A new chain already has this many blocks, so that a finalized one exists. */
const FIRST_SLOT = SLOTS_AHEAD_OF_HEIGHT + 64

/**
 * Slots, block heights and blockhashes. The slot is written to a file before a client can see it, so that a killed
 * network continues at the next slot. A blockhash is a hash of the genesis hash and the slot: after a start, the slot
 * is enough to know which blockhashes are still valid.
 */
export class Slots {
  readonly #genesisHash: Key
  readonly #file: SlotsFile | null
  /** The heights of recent blockhashes, up to height `#hashed`. `#recentHashes` brings it up to date. */
  readonly #heightByHash = new Map<Key, number>()
  #hashed = -1
  #slot: number
  #forks: readonly Fork[]

  constructor(genesisHash: Key, path: string | null) {
    this.#genesisHash = genesisHash
    this.#file = path === null ? null : openSlotsFile(path)
    this.#slot = SLOTS_AHEAD_OF_HEIGHT + (this.#file?.number() ?? FIRST_SLOT - SLOTS_AHEAD_OF_HEIGHT)
    this.#forks = this.#file?.forks() ?? []
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

  /** The height of the slot's block, or of the last block before it if it has none. */
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
  }

  /**
   * Continues from the block of slot `parent`, in the slot after the current one. `parent` must not be below the
   * finalized slot. The blocks in between are gone, and so are their blockhashes.
   */
  rollback(parent: number) {
    const root = this.slot("finalized")
    const height = this.heightOfSlot(parent)
    for (const [hash, hashed] of this.#heightByHash) if (hashed > height) this.#heightByHash.delete(hash)
    this.#hashed = Math.min(this.#hashed, height)
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

  /** The slots of the last `count` blocks before the current one with their hashes, newest first. */
  recentBlocks(count: number): { slot: number; hash: Key }[] {
    const newest = this.height() - 1
    return Array.from({ length: Math.min(count, newest) }, (_, age) => ({
      slot: this.slotOfHeight(newest - age),
      hash: this.blockhash(newest - age),
    }))
  }

  /** Whether a transaction with this blockhash may land now: at most 150 blocks have followed its block. */
  isRecent(blockhash: Key, commitment: Commitment = "processed"): boolean {
    const height = this.#recentHashes().get(blockhash)
    return height !== undefined && height <= this.height(commitment)
  }

  close() {
    this.#file?.close()
  }

  /** Computes hashes only for a lookup, because most slots of an idle network have none. */
  #recentHashes(): ReadonlyMap<Key, number> {
    const newest = this.height()
    const oldest = Math.max(0, newest - BLOCKHASH_BLOCKS)
    for (let height = Math.max(oldest, this.#hashed + 1); height <= newest; height++)
      this.#heightByHash.set(this.blockhash(height), height)
    this.#hashed = newest
    // A Map keeps the order of insertion, which is the order of heights.
    for (const [hash, height] of this.#heightByHash) {
      if (height >= oldest) break
      this.#heightByHash.delete(hash)
    }
    return this.#heightByHash
  }
}
