import { sleep } from "#server/lib/time.ts"

/** How long a call waits for its turn, at most, in milliseconds. */
const PATIENCE_MS = 5000
/** What is kept for calls that are urgent, as a part of a second's. */
const RESERVE = 0.5

/** Calls per second that one node is asked, at most. What is more waits for its turn. */
export class Budget {
  readonly #perSecond: number
  #left: number
  #countedAt = performance.now()

  /** `perSecond` may be infinite. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  /** Resolves when a call may go. Rejects when that takes too long. What is not urgent leaves room for what is. */
  async turn(isUrgent: boolean): Promise<void> {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return
    const asked = performance.now()
    const least = isUrgent ? 1 : 1 + this.#perSecond * RESERVE
    for (;;) {
      this.#refill()
      if (this.#left >= Math.min(least, this.#perSecond)) break
      if (performance.now() - asked > PATIENCE_MS)
        throw new Error(`more calls than the ${this.#perSecond} per second that a node is asked`)
      await sleep(Math.ceil(1000 / this.#perSecond))
    }
    this.#left -= 1
  }

  #refill(): void {
    const now = performance.now()
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#countedAt) / 1000) * this.#perSecond)
    this.#countedAt = now
  }
}
