/** Scheduled work of a part of this process: one pass after another, or several at once. */
export class Passes {
  readonly #begun = new Set<Promise<unknown>>()

  /** Tracks a pass until it ends, and returns it. */
  add<T>(pass: Promise<T>): Promise<T> {
    const end = () => void this.#begun.delete(pass)
    this.#begun.add(pass)
    pass.then(end, end)
    return pass
  }

  /** Resolves when every pass running now has ended, with success or failure. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#begun)
  }
}
