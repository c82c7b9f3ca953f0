import { BLOCKHASH_HEIGHTS } from "#server/solana/transaction.ts"

/** Blocks after which the chain's pace is measured instead of taken from its settings. */
const PACE_BLOCKS = 20
/** Seconds are rounded up to this, so that the answer does not change with every block. */
const STEP_SECONDS = 5

/** Blocks ahead of the finalized one at which a blockhash that a node returns cannot be genuine. */
const TOO_FAR_BLOCKS = 4 * BLOCKHASH_HEIGHTS

type Height = { slot: number; height: number }

/**
 * Waits until the finalized height is past the last one at which anything signed before can land, and until as many
 * slots have passed. There are never fewer slots than blocks. A height alone may be another number, such as a slot.
 */
export class Wait {
  readonly #why: string
  readonly #from: Height
  readonly #until: number
  readonly #slotMs: number
  readonly #began = performance.now()

  constructor(why: string, { from, until }: { from: Height; until: number }, slotMs: number) {
    this.#why = why
    this.#from = from
    this.#until = Math.min(until, from.height + TOO_FAR_BLOCKS)
    this.#slotMs = slotMs
  }

  isOver({ slot, height }: Height): boolean {
    return height > this.#until && slot > this.#from.slot + BLOCKHASH_HEIGHTS
  }

  /** Approximate. */
  secondsLeft({ height }: Height): number {
    const passed = height - this.#from.height
    const msPerBlock = passed < PACE_BLOCKS ? this.#slotMs : (performance.now() - this.#began) / passed
    const seconds = ((this.#until + 1 - height) * msPerBlock) / 1000
    return Math.max(1, Math.ceil(seconds / STEP_SECONDS)) * STEP_SECONDS
  }

  reason(finalized: Height): string {
    return `${this.#why}; waiting until what it had signed can no longer land, about ${this.secondsLeft(finalized)} s`
  }
}
