import { databaseTime_ms } from "#server/lib/time.ts"

/** So many more than expected are no surprise: a node behind the same address was behind. */
const LEEWAY = 1000
/** What most chains make in a second, and what none does: Solana makes 2.5, a local network of tests 100. */
const USUAL_PER_SECOND = 5
const MOST_PER_SECOND = 200
/** Beyond that no clock that is a little wrong explains it. */
const MOST_LEEWAY = 10_000

/**
 * How far a chain has come, as its nodes say. Whatever is asked of nodes must be as of what has landed, so one slot that
 * is too high would be one that no node ever comes to: a claim is believed as far as time explains it.
 */
export class Slots {
  #highest = 0
  /** By the database's clock: it goes on while this machine sleeps. */
  #at_ms = 0

  /** What a claim deserves: to be believed, to be asked for again, or neither. */
  weigh(slot: number): "plain" | "surprising" | "impossible" {
    if (!Number.isSafeInteger(slot) || slot < 0) return "impossible"
    if (this.#highest === 0) return "surprising"
    const seconds = Math.max(0, databaseTime_ms() - this.#at_ms) / 1000
    if (slot <= this.#highest + LEEWAY + seconds * USUAL_PER_SECOND) return "plain"
    return slot <= this.#highest + MOST_LEEWAY + seconds * MOST_PER_SECOND ? "surprising" : "impossible"
  }

  /** Whether a node that stands at a slot may have told of another one a moment ago. */
  static explains(stands: number, told: number): boolean {
    return stands + LEEWAY >= told
  }

  believe(slot: number): void {
    if (slot <= this.#highest) return
    this.#highest = slot
    this.#at_ms = databaseTime_ms()
  }
}
