import { Tally } from "#server/lib/tally.ts"

/** How long a turn keeps others waiting at most. */
const LONGEST_MS = 2000

/** Limits concurrent work, in total and per owner; waiting owners take turns. */
export class FairQueue {
  readonly #atOnce: number
  readonly #forEach: number
  readonly #taken = new Tally()
  /** Who waits, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #all = 0

  constructor({ atOnce, forEach }: { atOnce: number; forEach: number }) {
    this.#atOnce = atOnce
    this.#forEach = forEach
  }

  /**
   * Runs `work` when it is this owner's turn. A slow turn is passed on while others wait, and its work continues
   * beside theirs; `late` is called first and may end it. If `gone` aborts before the turn, the work is not done.
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

  /** Resolves with whether it is their turn now, and not never. */
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
      // Behind all others that wait.
      if (queue.length > 0) this.#waiting.set(next, queue)
      return
    }
  }
}
