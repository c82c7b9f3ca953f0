import { Tally } from "#server/lib/tally.ts"

/** The longest time that one turn keeps others waiting. */
const LONGEST_MS = 2000

/** Limits concurrent work, in total and per owner. Waiting owners take turns. */
export class FairQueue {
  readonly #atOnce: number
  readonly #forEach: number
  readonly #taken = new Tally()
  /** Waiting owners, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #all = 0

  constructor({ atOnce, forEach }: { atOnce: number; forEach: number }) {
    this.#atOnce = atOnce
    this.#forEach = forEach
  }

  /**
   * Runs `work` when it is this owner's turn. A slow turn is passed on while others wait, and its work continues
   * alongside theirs. `late` is called first and may end it. If `gone` aborts before the turn, the work does not run.
   */
  async run(
    who: string,
    work: () => Promise<void>,
    { late, gone }: { late?: () => void; gone?: AbortSignal } = {},
  ): Promise<void> {
    if (this.#waiting.has(who) || !this.#take(who)) {
      if (!(await this.#wait(who, gone))) return
    }
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      clearInterval(timer)
      this.#giveBack(who)
    }
    const timer = setInterval(() => {
      if (this.#waiting.size === 0) return
      late?.()
      over()
    }, LONGEST_MS).unref()
    try {
      await work()
    } finally {
      over()
    }
  }

  /** Resolves to true at the owner's turn, or to false if it will never come. */
  #wait(who: string, gone: AbortSignal | undefined): Promise<boolean> {
    const queue = this.#waiting.get(who) ?? []
    this.#waiting.set(who, queue)
    return new Promise((resolve) => {
      const begin = () => resolve(true)
      queue.push(begin)
      gone?.addEventListener("abort", () => {
        const at = queue.indexOf(begin)
        if (at < 0) return
        queue.splice(at, 1)
        if (queue.length === 0) this.#waiting.delete(who)
        resolve(false)
      })
    })
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
    for (const [next, queue] of this.#waiting) {
      if (!this.#take(next)) continue
      this.#waiting.delete(next)
      queue.shift()!()
      // Behind all other waiting owners.
      if (queue.length > 0) this.#waiting.set(next, queue)
      return
    }
  }
}
