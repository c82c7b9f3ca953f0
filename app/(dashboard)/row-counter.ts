const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Counts the rows of a CSV file while it arrives, without the header. A line break within quotes does not end a row.
 */
export class RowCounter {
  #lines = 0
  #isQuoted = false

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // A quote within a cell is doubled, so the two cancel each other.
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted
      else if (byte === LINE_FEED && !this.#isQuoted) this.#lines += 1
    }
  }

  get rows(): number {
    return Math.max(0, this.#lines - 1)
  }
}
