import { TOKEN_2022_PROGRAM_ID, TokenInstruction } from "@solana/spl-token"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import type { Rpc } from "./rpc/rpc.ts"

/** In micro-lamports per compute unit. With `floor` at `ceiling` the price is fixed. */
export type PriceLimits = { floor: number; ceiling: number; percentile: number }

/** How long a price that others paid is used, in milliseconds. */
const FRESH_MS = 10_000
/** A price older than this is read again before use. A younger one is used while it is refreshed. */
const STALE_MS = 60_000
/** How long a transaction waits for the price. */
const PATIENCE_MS = 250
/** Maximum number of sets of accounts whose price is cached. */
const MOST_KNOWN = 1000
/** The offer after an expiry if others seem to pay nothing. */
const FIRST_STEP = 1000

/** Chooses the price of transactions by what others recently paid to write the same accounts. */
export class PriorityFees {
  readonly #rpc: Rpc
  readonly #limits: PriceLimits
  readonly #known = new LRUCache<string, { price: number; askedAt: number }>({ max: MOST_KNOWN })
  readonly #asking = new Map<string, Promise<number>>()

  constructor(rpc: Rpc, limits: PriceLimits) {
    this.#rpc = rpc
    this.#limits = limits
  }

  /** The price for transactions that write these accounts; the floor if no node returns prices. */
  async priceFor(accounts: readonly PublicKey[]): Promise<number> {
    const { floor, ceiling } = this.#limits
    if (floor >= ceiling) return floor
    const name = nameOf(accounts)
    const known = this.#known.get(name)
    const age = performance.now() - (known?.askedAt ?? Number.NEGATIVE_INFINITY)
    if (known && age < FRESH_MS) return known.price
    const asking = this.#ask(name, accounts)
    if (known && age < STALE_MS) return known.price
    const answered = new AbortController()
    const late = sleep(PATIENCE_MS, answered.signal).then(() => known?.price ?? floor)
    return Promise.race([asking, late]).finally(() => answered.abort())
  }

  #ask(name: string, accounts: readonly PublicKey[]): Promise<number> {
    let asking = this.#asking.get(name)
    if (!asking) {
      asking = this.#rpc.patient
        .recentFees(accounts)
        .then(
          (fees) => priceOf(fees, this.#limits),
          (error) => {
            logger.debug({ err: error }, "could not read recent priority fees")
            return this.#limits.floor
          },
        )
        .then((found) => {
          const price = this.#withoutOwn(found, this.#known.get(name)?.price)
          this.#known.set(name, { price, askedAt: performance.now() })
          return price
        })
        .finally(() => this.#asking.delete(name))
      this.#asking.set(name, asking)
    }
    return asking
  }

  /** Only Vouch writes its accounts, so their price is what Vouch paid. If others pay no more, less may be enough. */
  #withoutOwn(found: number, offered: number | undefined): number {
    if (offered === undefined || found > offered) return found
    return Math.max(Math.floor((offered * 3) / 4), this.#limits.floor)
  }

  /** The cached price for these accounts. Null if there is none; the price is then requested. */
  knownFor(accounts: readonly PublicKey[]): number | null {
    const { floor, ceiling } = this.#limits
    if (floor >= ceiling) return null
    const name = nameOf(accounts)
    const known = this.#known.get(name)
    if (!known || performance.now() - known.askedAt >= FRESH_MS) void this.#ask(name, accounts)
    return known?.price ?? null
  }

  /** The offer for a transaction that has expired `expiries` times. */
  raised(price: number, expiries: number): number {
    return raisedPrice(price, expiries, this.#limits)
  }

  get ceiling(): number {
    return Math.max(this.#limits.floor, this.#limits.ceiling)
  }
}

const nameOf = (accounts: readonly PublicKey[]) => accounts.map((account) => account.toBase58()).join()

/** The percentile of the prices in recent slots, within the limits. Ignores values that are not prices. */
export function priceOf(fees: readonly unknown[], { floor, ceiling, percentile }: PriceLimits): number {
  const paid = fees
    .filter((fee): fee is number => typeof fee === "number" && Number.isFinite(fee) && fee >= 0)
    .sort((one, other) => one - other)
  const found = paid[Math.min(Math.floor((paid.length * percentile) / 100), paid.length - 1)] ?? 0
  return Math.min(Math.max(Math.ceil(found), floor), ceiling)
}

/** Doubles the offer with each expiry. */
export const raisedPrice = (price: number, expiries: number, { ceiling }: PriceLimits): number =>
  expiries === 0 ? price : Math.max(price, Math.min(Math.max(price, FIRST_STEP) * 2 ** Math.min(expiries, 20), ceiling))

/** Mints whose supply the instructions change: besides the fee payer, the contended accounts of a workspace. */
export function writtenMints(instructions: readonly TransactionInstruction[]): PublicKey[] {
  const mints = instructions.flatMap(({ programId, keys, data }) => {
    if (!programId.equals(TOKEN_2022_PROGRAM_ID)) return []
    if (data[0] === TokenInstruction.Burn) return keys[1]!.pubkey
    const isMint = data[0] === TokenInstruction.MintTo || data[0] === TokenInstruction.MintToChecked
    return isMint ? keys[0]!.pubkey : []
  })
  return [...new Map(mints.map((mint) => [mint.toBase58(), mint])).values()]
}
