/**
 * The purpose of a call. `settling` resolves doubt: statuses, heights, evidence, finality. A batch or a request waits
 * for `reading`. `sending` sends bytes for the first time, `resending` every further time. `background` can wait.
 */
export const purposes = ["settling", "reading", "sending", "resending", "background"] as const
export type Purpose = (typeof purposes)[number]

/** Maximum time a call waits in its queue, in milliseconds. */
const PATIENCE_MS = 5000
/** Share of the budget reserved for each purpose. What a purpose leaves unused goes to the others. */
const SHARES = { settling: 0.25, sending: 0.25 } as const
/** By purpose: whose reserve it uses, and how much of the shared budget it leaves to those before it. */
const RULES: Readonly<Record<Purpose, { reserve: keyof typeof SHARES | null; leaves: number }>> = {
  reading: { reserve: null, leaves: 0 },
  settling: { reserve: "settling", leaves: 0.25 },
  sending: { reserve: "sending", leaves: 0.25 },
  background: { reserve: null, leaves: 0.5 },
  resending: { reserve: "sending", leaves: 0.75 },
}

type Waiting = { until: number; go: () => void; refuse: (error: Error) => void }

/** Holds at most one second's worth of calls. */
class Bucket {
  readonly size: number
  left: number

  /** Holds at least one call, because a part of one is of no use. */
  constructor(size: number) {
    this.size = Math.max(1, size)
    this.left = this.size
  }

  /** Returns the calls for which it has no room. */
  add(calls: number): number {
    const full = this.left + calls
    this.left = Math.min(this.size, full)
    return full - this.left
  }

  take(least = 1): boolean {
    if (this.left < Math.min(least, this.size)) return false
    this.left -= 1
    return true
  }
}

/** Limits the calls per second to one node. The rest waits in a queue for each purpose. */
export class Budget {
  readonly #perSecond: number
  readonly #own: Readonly<Record<keyof typeof SHARES, Bucket>>
  readonly #common: Bucket
  /** In the order in which they are served. */
  readonly #lines: Readonly<Record<Exclude<Purpose, "resending">, Waiting[]>> = {
    settling: [],
    reading: [],
    sending: [],
    background: [],
  }
  #countedAt = performance.now()
  #timer: NodeJS.Timeout | null = null

  /** `perSecond` may be infinite. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#own = { settling: new Bucket(perSecond * SHARES.settling), sending: new Bucket(perSecond * SHARES.sending) }
    this.#common = new Bucket(perSecond * (1 - SHARES.settling - SHARES.sending))
  }

  /** Resolves when a call may be made. Rejects if that takes too long. */
  async turn(purpose: Exclude<Purpose, "resending">): Promise<void> {
    if (this.tryTurn(purpose)) return
    const line = this.#lines[purpose]
    // The queue is so long that the last call would time out.
    if (line.length >= (this.#perSecond * PATIENCE_MS) / 1000) throw this.#refusal()
    await new Promise<void>((go, refuse) => {
      line.push({ until: performance.now() + PATIENCE_MS, go, refuse })
      this.#serveSoon()
    })
  }

  /** Takes a call from the budget if one is free now and no other waits for it. */
  tryTurn(purpose: Purpose): boolean {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return true
    if (this.#lines[purpose === "resending" ? "sending" : purpose].length > 0) return false
    this.#refill()
    return this.#take(purpose)
  }

  #take(purpose: Purpose): boolean {
    const { reserve, leaves } = RULES[purpose]
    return (reserve && this.#own[reserve].take()) || this.#common.take(1 + this.#common.size * leaves)
  }

  #serveSoon(): void {
    this.#timer ??= setTimeout(() => this.#serve(), Math.min(Math.ceil(1000 / this.#perSecond), PATIENCE_MS))
  }

  #serve(): void {
    this.#timer = null
    this.#refill()
    const now = performance.now()
    for (const [purpose, line] of Object.entries(this.#lines) as [Purpose, Waiting[]][]) {
      while (line[0] && this.#take(purpose)) line.shift()?.go()
      while (line[0] && line[0].until < now) line.shift()?.refuse(this.#refusal())
    }
    if (Object.values(this.#lines).some(({ length }) => length > 0)) this.#serveSoon()
  }

  #refill(): void {
    const now = performance.now()
    const calls = ((now - this.#countedAt) / 1000) * this.#perSecond
    this.#countedAt = now
    let rest = calls
    for (const name of ["settling", "sending"] as const) {
      const share = calls * SHARES[name]
      rest += this.#own[name].add(share) - share
    }
    this.#common.add(rest)
  }

  #refusal(): Error {
    return new Error(`more calls are needed than the ${this.#perSecond} per second that this node allows`)
  }
}
