import { databaseTime_ms } from "#server/lib/time.ts"

/** How far a slot may exceed the expected one: a lagging node may answer at the same address. */
const LEEWAY = 1000
/** Slots per second that are plausible, and that are impossible: Solana makes 2.5, a test network 100. */
const USUAL_PER_SECOND = 5
const MOST_PER_SECOND = 200
/** A larger jump cannot be explained by an inaccurate clock. */
const MOST_LEEWAY = 10_000

/**
 * The highest slot that nodes have reported. Reads require that slot, so a wrong high slot would make every node look
 * late. A report is therefore believed only if the elapsed time can explain it.
 */
export class Slots {
  #highest = 0
  /** By the database's clock, which runs on while this machine sleeps. */
  #at_ms = 0

  /** Whether to believe a reported slot, to ask again, or to reject it. */
  judge(slot: number): "plain" | "surprising" | "impossible" {
    if (!Number.isSafeInteger(slot) || slot < 0) return "impossible"
    if (this.#highest === 0) return "surprising"
    const seconds = Math.max(0, databaseTime_ms() - this.#at_ms) / 1000
    if (slot <= this.#highest + LEEWAY + seconds * USUAL_PER_SECOND) return "plain"
    return slot <= this.#highest + MOST_LEEWAY + seconds * MOST_PER_SECOND ? "surprising" : "impossible"
  }

  /** Whether a node at one slot may have reported another one a moment ago. */
  static explains(stands: number, told: number): boolean {
    return stands + LEEWAY >= told
  }

  believe(slot: number): void {
    if (slot <= this.#highest) return
    this.#highest = slot
    this.#at_ms = databaseTime_ms()
  }
}
