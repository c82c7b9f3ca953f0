type Failing = { times: number; until: number }

/** Pauses what has failed, twice as long each time. In memory: after a restart everything is tried again. */
export class Backoff {
  readonly #first: number
  readonly #longest: number
  readonly #failing = new Map<string, Failing>()

  constructor({ firstMs, longestMs }: { firstMs: number; longestMs: number }) {
    this.#first = firstMs
    this.#longest = longestMs
  }

  failed(name: string): void {
    const times = (this.#failing.get(name)?.times ?? 0) + 1
    const pause = Math.min(this.#first * 2 ** (times - 1), this.#longest)
    this.#failing.set(name, { times, until: performance.now() + pause })
  }

  succeeded(name: string): void {
    this.#failing.delete(name)
  }

  /** Whether the last attempt failed and the pause is not over. */
  isHeld(name: string): boolean {
    const failing = this.#failing.get(name)
    return failing !== undefined && failing.until > performance.now()
  }

  /** How many failed at their last attempt. One that was not retried for a long time no longer counts. */
  get size(): number {
    const before = performance.now() - this.#longest
    for (const [name, { until }] of this.#failing) if (until < before) this.#failing.delete(name)
    return this.#failing.size
  }

  /** All that are paused now. */
  get held(): string[] {
    return [...this.#failing.keys()].filter((name) => this.isHeld(name))
  }

  /** How many times in a row it has failed. */
  times(name: string): number {
    return this.#failing.get(name)?.times ?? 0
  }
}
