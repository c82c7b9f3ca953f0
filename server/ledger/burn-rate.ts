/** Over how long what was spent is looked at, and how long it has to be known before anything is said, in milliseconds. */
const WINDOW_MS = 3_600_000
const LEAST_MS = 600_000
/** What was spent within so long is one figure. */
const STEP_MS = 60_000

/** How fast a balance is spent. What is added to it does not count. */
export class BurnRate {
  /** What was spent from a moment on until the next one. */
  #spent: { since: number; lamports: number }[] = []
  #last: { lamports: number; at: number } | null = null

  /** Adds what was spent before anything was noted, so that it is known at once after a restart. */
  recall(spent: readonly { at: number; lamports: number }[]): void {
    const recalled = spent.map(({ at, lamports }) => ({ since: at, lamports }))
    this.#spent = [...recalled, ...this.#spent].sort((one, other) => one.since - other.since)
  }

  note(lamports: number, at: number): void {
    const before = this.#last
    this.#last = { lamports, at }
    if ((this.#spent.at(-1)?.since ?? Number.NEGATIVE_INFINITY) + STEP_MS <= at)
      this.#spent.push({ since: at, lamports: 0 })
    if (before) this.#spent.at(-1)!.lamports += Math.max(0, before.lamports - lamports)
    this.#spent = this.#spent.filter(({ since }) => since > at - WINDOW_MS)
  }

  /** For how many hours the balance lasts, if it goes on like this. Null where nothing is spent, or too little is known. */
  get hoursLeft(): number | null {
    const [first] = this.#spent
    if (!first || !this.#last || this.#last.at - first.since < LEAST_MS) return null
    const spent = this.#spent.reduce((sum, { lamports }) => sum + lamports, 0)
    if (spent === 0) return null
    return (this.#last.lamports * (this.#last.at - first.since)) / spent / 3_600_000
  }
}
