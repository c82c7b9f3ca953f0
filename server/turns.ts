/** How long a turn keeps others waiting at most: what takes longer goes on beside them. */
const LONGEST_MS = 2000

/** Bounds how much of something goes on at once, in all and for each asker; who waits comes in the order of asking. */
export class Turns {
  readonly #atOnce: number
  readonly #forEach: number
  readonly #taken = new Map<string, number>()
  readonly #waiting: { who: string; begin: () => void }[] = []
  #all = 0

  constructor({ atOnce, forEach }: { atOnce: number; forEach: number }) {
    this.#atOnce = atOnce
    this.#forEach = forEach
  }

  /** Runs `work` when it is this asker's turn. */
  async run<T>(who: string, work: () => Promise<T>): Promise<T> {
    if (!this.#take(who)) {
      await new Promise<void>((begin) => {
        this.#waiting.push({ who, begin })
      })
    }
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      this.#giveBack(who)
    }
    const timer = setTimeout(over, LONGEST_MS).unref()
    try {
      return await work()
    } finally {
      over()
    }
  }

  #take(who: string): boolean {
    const taken = this.#taken.get(who) ?? 0
    if (this.#all >= this.#atOnce || taken >= this.#forEach) return false
    this.#all++
    this.#taken.set(who, taken + 1)
    return true
  }

  #giveBack(who: string): void {
    this.#all--
    const left = this.#taken.get(who)! - 1
    if (left === 0) this.#taken.delete(who)
    else this.#taken.set(who, left)
    const next = this.#waiting.findIndex((one) => this.#take(one.who))
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.begin()
  }
}
