import type { Journal, Place } from "../storage/journal.ts"
import { decodeFront, decodeMeta, FRONT_AND_WIRE_BYTES, type Meta } from "../storage/record.ts"
import { type Key, keyOfBytes } from "./keys.ts"
import type { TransactionError } from "./transaction-errors.ts"
import { parseTransaction, type Transaction } from "./wire.ts"

/** A transaction's number: the count of transactions that landed before it. */
export type Index = number

/** The part of a landed transaction that is in memory. */
export type Landed = { index: Index; signature: string; slot: number; err: TransactionError | null }

/**
 * Every transaction that ever landed. Memory has an index by signature and address (some 200 bytes, and 8 per address);
 * the journal has the full transactions. Known signatures also refuse duplicates, however late.
 */
export class History {
  readonly #journal: Journal
  readonly #bySignature = new Map<string, Index>()
  /** Most addresses occur once. A bare number takes less memory than an array. */
  readonly #byAddress = new Map<Key, Index | Index[]>()
  readonly #signatures: string[] = []
  readonly #slots: number[] = []
  readonly #times: number[] = []
  readonly #places: Place[] = []
  readonly #errors = new Map<Index, TransactionError>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  get count(): number {
    return this.#signatures.length
  }

  has(signature: string): boolean {
    return this.#bySignature.has(signature)
  }

  /** Indexes a record that is in the journal. */
  add(entry: { transaction: Transaction; meta: Meta | null; slot: number; unixSeconds: number; place: Place }): Landed {
    const { transaction, meta, slot, unixSeconds, place } = entry
    const index = this.count
    this.#bySignature.set(transaction.signature, index)
    this.#signatures.push(transaction.signature)
    this.#slots.push(slot)
    this.#times.push(unixSeconds)
    this.#places.push(place)
    if (meta !== null && meta.err !== null) this.#errors.set(index, meta.err)
    for (const key of keysOf(transaction, meta)) this.#addToIndex(key, index)
    return this.at(index)
  }

  at(index: Index): Landed {
    return {
      index,
      signature: this.#signatures[index]!,
      slot: this.#slots[index]!,
      err: this.#errors.get(index) ?? null,
    }
  }

  find(signature: string): Landed | null {
    const index = this.#bySignature.get(signature)
    return index === undefined ? null : this.at(index)
  }

  unixSeconds(index: Index): number {
    return this.#times[index]!
  }

  /** The transaction without its meta, which is the first part of its record. */
  transaction(index: Index): Transaction {
    const { offset, length } = this.#places[index]!
    const front = this.#journal.read(offset, Math.min(length, FRONT_AND_WIRE_BYTES))
    return parseTransaction(decodeFront(front).wire)
  }

  full(index: Index): { transaction: Transaction; meta: Meta } {
    const { offset, length } = this.#places[index]!
    const body = this.#journal.read(offset, length)
    return { transaction: parseTransaction(decodeFront(body).wire), meta: decodeMeta(body) }
  }

  /** The transactions that name an address, oldest first. */
  ofAddress(key: Key): readonly Index[] {
    const found = this.#byAddress.get(key)
    return found === undefined ? [] : typeof found === "number" ? [found] : found
  }

  /** The transactions of slots from `first` to `last`, oldest first. */
  ofSlots(first: number, last: number): Index[] {
    const from = this.countUpToSlot(first - 1)
    const to = this.countUpToSlot(last)
    return Array.from({ length: to - from }, (_, position) => from + position)
  }

  countUpToSlot(slot: number): number {
    return lowerBound(this.#slots, slot + 1)
  }

  /** Forgets all but the first `count`. Returns the place of the first forgotten record in the journal. */
  truncate(count: number): Place {
    const place = this.#places[count]!
    for (let index = this.count - 1; index >= count; index--) {
      const { transaction, meta } = this.full(index)
      this.#bySignature.delete(this.#signatures[index]!)
      this.#errors.delete(index)
      for (const key of keysOf(transaction, meta)) this.#removeFromIndex(key, index)
    }
    for (const column of [this.#signatures, this.#slots, this.#times, this.#places]) column.length = count
    return place
  }

  #addToIndex(key: Key, index: Index) {
    const found = this.#byAddress.get(key)
    if (found === undefined) this.#byAddress.set(key, index)
    else if (typeof found !== "number") found.push(index)
    else this.#byAddress.set(key, [found, index])
  }

  #removeFromIndex(key: Key, index: Index) {
    const found = this.#byAddress.get(key)
    if (found === index) this.#byAddress.delete(key)
    else if (typeof found === "object" && found.at(-1) === index) found.pop()
  }
}

function* keysOf({ message }: Transaction, meta: Meta | null): Iterable<Key> {
  yield* message.keys
  if (meta !== null)
    for (const address of [...meta.loaded.writable, ...meta.loaded.readonly])
      yield keyOfBytes(Buffer.from(address, "base64"))
}

/** The first position in ascending values whose value is not below `value`. */
export function lowerBound(values: readonly number[], value: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
