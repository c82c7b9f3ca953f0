/** Counts per owner. An owner with a count of zero takes no memory. */
export class Tally {
  readonly #counts = new Map<string, number>()

  of(who: string): number {
    return this.#counts.get(who) ?? 0
  }

  add(who: string): void {
    this.#counts.set(who, this.of(who) + 1)
  }

  /** Subtracts from a count. Only what was added before. */
  remove(who: string): void {
    const left = this.of(who) - 1
    if (left === 0) this.#counts.delete(who)
    else this.#counts.set(who, left)
  }
}
