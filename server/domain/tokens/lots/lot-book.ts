import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import type { Exemption } from "#shared/lots.ts"
import { type HoldingKey, keyName } from "../holder-facts.ts"

// The arithmetic of lots, without a database. Moves take the oldest units first.

/** Units that a wallet acquired at once. */
export type Lot = {
  id: string
  /** Decides between lots of one date. Null until the database numbers it. */
  seq: bigint | null
  units: bigint
  /** Null if it is not known. Such units are taken last, because no one can say that they are old. */
  acquiredAt: Date | null
  exemption: Exemption
  /** The lot that it was split from. */
  parent: string | null
  operationId: string | null
}

/** Units that an operation issues, moves or burns. */
export type LotMove = {
  config: string
  operationId: string
  units: bigint
} & (
  | { from: null; to: Address; acquiredAt: Date; exemption: Exemption }
  /** `keepsLots`: whether dates stay, because no one has acquired anything. Otherwise the receiver acquires them now. */
  | { from: Address; to: Address; keepsLots: true }
  | { from: Address; to: Address; keepsLots: false; acquiredAt: Date }
  | { from: Address; to: null }
)

type Stored = Lot & {
  key: HoldingKey
  /** As in the database; null for a lot that is new. */
  was: { units: bigint; wallet: Address } | null
  /** Order among new lots. */
  made: number
}

/** What to write, in the order in which lots were made. */
export type LotChanges = {
  made: (Lot & { key: HoldingKey })[]
  changed: { id: string; key: HoldingKey; units: bigint }[]
  gone: string[]
}

/** The lots of some wallets, as far as they were loaded: of each, the oldest that cover what is taken. */
export class LotBook {
  /** The newest first, because the oldest are taken. */
  readonly #piles = new Map<string, Stored[]>()
  readonly #all: Stored[] = []
  readonly #sums = new Map<string, bigint>()

  /** Adds lots as they are in the database. */
  load(key: HoldingKey, lots: readonly Lot[]): void {
    for (const lot of lots) {
      const stored = { ...lot, key, was: { units: lot.units, wallet: key.wallet }, made: 0 }
      this.#all.push(stored)
      this.#insert(stored)
    }
  }

  apply(move: LotMove): void {
    const { config, operationId, units, from, to } = move
    if (from === null) {
      const { acquiredAt, exemption } = move
      this.#make(
        { config, wallet: to },
        {
          units,
          acquiredAt,
          exemption,
          parent: null,
          operationId,
        },
      )
      return
    }
    const giver = { config, wallet: from }
    if (to === null) {
      this.#take(giver, units, (lot, taken) => this.#reduce(lot, taken))
      return
    }
    const taker = { config, wallet: to }
    if (move.keepsLots) {
      const missing = this.#take(giver, units, (lot, taken) => this.#hand(lot, taken, taker, operationId))
      // What holders moved themselves has no date.
      if (missing > 0n) this.#make(taker, { units: missing, ...UNKNOWN, operationId })
      return
    }
    const sold = new Map<Exemption, { units: bigint; parent: string | null }>()
    const missing = this.#take(giver, units, (lot, taken) => {
      const one = sold.get(lot.exemption) ?? { units: 0n, parent: lot.id }
      sold.set(lot.exemption, { ...one, units: one.units + taken })
      this.#reduce(lot, taken)
    })
    if (missing > 0n) {
      const { units: known = 0n, parent = null } = sold.get("none") ?? {}
      sold.set("none", { units: known + missing, parent })
    }
    const { acquiredAt } = move
    for (const [exemption, one] of sold) this.#make(taker, { ...one, exemption, acquiredAt, operationId })
  }

  /** How much the lots of a wallet have grown. */
  growthOf(key: HoldingKey): bigint {
    return this.#sums.get(keyName(key)) ?? 0n
  }

  changes(): LotChanges {
    const changes: LotChanges = { made: [], changed: [], gone: [] }
    for (const lot of this.#all) {
      const { id, key, units, was } = lot
      if (was === null) {
        if (units > 0n) changes.made.push(lot)
      } else if (units === 0n) changes.gone.push(id)
      else if (units !== was.units || key.wallet !== was.wallet) changes.changed.push({ id, key, units })
    }
    return changes
  }

  /** The lots of a wallet, the oldest first. */
  of(key: HoldingKey): readonly Lot[] {
    return (this.#piles.get(keyName(key)) ?? []).toReversed()
  }

  /** Takes the oldest units of a wallet. Returns how many are missing. */
  #take(key: HoldingKey, units: bigint, use: (lot: Stored, taken: bigint) => void): bigint {
    const pile = this.#piles.get(keyName(key)) ?? []
    let left = units
    while (left > 0n && pile.length > 0) {
      const lot = pile.at(-1)!
      const taken = lot.units < left ? lot.units : left
      if (taken === lot.units) pile.pop()
      use(lot, taken)
      this.#grow(key, -taken)
      left -= taken
    }
    return left
  }

  #reduce(lot: Stored, taken: bigint): void {
    lot.units -= taken
  }

  /** Hands units of a lot to another wallet. A whole lot stays the same one. */
  #hand(lot: Stored, taken: bigint, taker: HoldingKey, operationId: string): void {
    if (taken < lot.units) {
      lot.units -= taken
      const { acquiredAt, exemption, id } = lot
      this.#make(taker, { units: taken, acquiredAt, exemption, parent: id, operationId })
      return
    }
    lot.key = taker
    this.#insert(lot)
    this.#grow(taker, taken)
  }

  #make(key: HoldingKey, lot: Omit<Lot, "id" | "seq">): void {
    const made = { ...lot, id: newId("lot"), seq: null, key, was: null, made: this.#all.length }
    this.#all.push(made)
    this.#insert(made)
    this.#grow(key, lot.units)
  }

  #grow(key: HoldingKey, units: bigint): void {
    this.#sums.set(keyName(key), this.growthOf(key) + units)
  }

  #insert(lot: Stored): void {
    const name = keyName(lot.key)
    const pile = this.#piles.get(name)
    if (!pile) {
      this.#piles.set(name, [lot])
      return
    }
    let [low, high] = [0, pile.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(lot, pile[middle]!)) low = middle + 1
      else high = middle
    }
    pile.splice(low, 0, lot)
  }
}

const UNKNOWN = { acquiredAt: null, exemption: "none", parent: null } as const

const NEVER = Number.POSITIVE_INFINITY
const timeOf = ({ acquiredAt }: Lot): number => acquiredAt?.getTime() ?? NEVER

function isBefore(a: Stored, b: Stored): boolean {
  const [at, other] = [timeOf(a), timeOf(b)]
  if (at !== other) return at < other
  if (a.seq !== null && b.seq !== null) return a.seq < b.seq
  return a.seq !== null || (b.seq === null && a.made < b.made)
}
