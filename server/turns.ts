import { Tally } from "./tally.ts"

/** How long a turn keeps others waiting at most: what takes longer goes on beside them. */
const LONGEST_MS = 2000

/** Bounds how much of something goes on at once, in all and for each asker; who waits comes in the order of asking. */
export class Turns {
  readonly #atOnce: number
  readonly #forEach: number
  readonly #taken = new Tally()
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
    if (this.#all >= this.#atOnce || this.#taken.of(who) >= this.#forEach) return false
    this.#all++
    this.#taken.add(who)
    return true
  }

  #giveBack(who: string): void {
    this.#all--
    this.#taken.remove(who)
    const next = this.#waiting.findIndex((one) => this.#take(one.who))
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.begin()
  }
}
