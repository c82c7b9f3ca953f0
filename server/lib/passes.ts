/** What a part of this process does by the clock, beside all requests: one pass after another, or several at once. */
export class Passes {
  readonly #begun = new Set<Promise<unknown>>()

  /** Counts a pass among what has begun, until it ends. Returns it. */
  add<T>(pass: Promise<T>): Promise<T> {
    const end = () => void this.#begun.delete(pass)
    this.#begun.add(pass)
    pass.then(end, end)
    return pass
  }

  /** Resolves when every pass that has begun by now has ended, in whatever way. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#begun)
  }
}
