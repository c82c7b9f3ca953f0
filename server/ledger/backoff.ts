type Failing = { times: number; until: number }

/**
 * What has failed is left alone for a while, twice as long each time, so that it holds up nobody else. In the memory
 * of this process: after a restart all of it is tried again.
 */
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

  /** Whether it failed the last time, and is to be left alone for now. */
  isHeld(name: string): boolean {
    const failing = this.#failing.get(name)
    return failing !== undefined && failing.until > performance.now()
  }

  /** How many failed the last time. One that nobody has tried again for long has nothing left to be tried. */
  get size(): number {
    const before = performance.now() - this.#longest
    for (const [name, { until }] of this.#failing) if (until < before) this.#failing.delete(name)
    return this.#failing.size
  }

  /** All that is to be left alone for now. */
  get held(): string[] {
    return [...this.#failing.keys()].filter((name) => this.isHeld(name))
  }

  /** How often it has failed in a row. */
  times(name: string): number {
    return this.#failing.get(name)?.times ?? 0
  }
}
