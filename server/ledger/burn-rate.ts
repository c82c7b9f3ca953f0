/** How far back spending counts, and how much history is needed before an estimate, in milliseconds. */
const WINDOW_MS = 3_600_000
const LEAST_MS = 600_000
/** Spending within this time is added up in one entry. */
const STEP_MS = 60_000

/** How fast a balance is spent. Deposits do not count. */
export class BurnRate {
  /** The amount spent between a time and the next entry. */
  #spent: { since: number; lamports: number }[] = []
  #last: { lamports: number; at: number } | null = null

  /** Adds spending from before this process started, so that the rate is known right after a restart. */
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

  /** How many hours the balance lasts at this rate. Null if nothing is spent or too little is known. */
  get hoursLeft(): number | null {
    const [first] = this.#spent
    if (!first || !this.#last || this.#last.at - first.since < LEAST_MS) return null
    const spent = this.#spent.reduce((sum, { lamports }) => sum + lamports, 0)
    if (spent === 0) return null
    return (this.#last.lamports * (this.#last.at - first.since)) / spent / 3_600_000
  }
}
