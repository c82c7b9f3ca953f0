import bs58 from "bs58"

const FIRST = 1024

/**
 * A set of signatures by their first eight bytes. A million take 8 MB. With a million in it, the odds that any of a
 * billion others appears to be in it are about one in 18,000. Fill it before you query it.
 */
export class SignatureSet {
  #keys = new BigUint64Array(FIRST)
  #size = 0
  #isSorted = true

  add(signature: string): void {
    if (this.#size === this.#keys.length) {
      const larger = new BigUint64Array(this.#size * 2)
      larger.set(this.#keys)
      this.#keys = larger
    }
    this.#keys[this.#size++] = keyOf(signature)
    this.#isSorted = false
  }

  has(signature: string): boolean {
    if (!this.#isSorted) this.#keys.subarray(0, this.#size).sort()
    this.#isSorted = true
    const key = keyOf(signature)
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#keys[middle]! < key) low = middle + 1
      else high = middle
    }
    return low < this.#size && this.#keys[low] === key
  }
}

const keyOf = (signature: string): bigint => {
  const bytes = bs58.decode(signature)
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
}
