import { TOKEN_2022_PROGRAM_ID, TokenInstruction } from "@solana/spl-token"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import type { Rpc } from "./rpc/rpc.ts"

/** In micro-lamports per compute unit. With `floor` at `ceiling` the price is fixed. */
export type PriceLimits = { floor: number; ceiling: number; percentile: number }

/** For how long what others paid is believed, in milliseconds. */
const FRESH_MS = 10_000
/** What is older is asked anew before it is used; until then it is asked anew meanwhile. */
const STALE_MS = 60_000
/** How long a transaction waits to be told. */
const PATIENCE_MS = 250
/** Accounts that were asked about lately, at most. */
const MOST_KNOWN = 1000
/** What one offers that found no block, where the others seem to pay nothing. */
const FIRST_STEP = 1000

/** What to offer for transactions, by what others have paid lately to write the same accounts. */
export class PriorityFees {
  readonly #rpc: Rpc
  readonly #limits: PriceLimits
  readonly #known = new LRUCache<string, { price: number; askedAt: number }>({ max: MOST_KNOWN })
  readonly #asking = new Map<string, Promise<number>>()

  constructor(rpc: Rpc, limits: PriceLimits) {
    this.#rpc = rpc
    this.#limits = limits
  }

  /** The price for transactions that write these accounts. A node that does not tell it gives the floor. */
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

  /** Nobody else may write our accounts: what was paid for them is what we paid. Where it is no more than that, less may do. */
  #withoutOwn(found: number, offered: number | undefined): number {
    if (offered === undefined || found > offered) return found
    return Math.max(Math.floor((offered * 3) / 4), this.#limits.floor)
  }

  /** What is known to be paid for these accounts, or null; then it is asked. */
  knownFor(accounts: readonly PublicKey[]): number | null {
    const { floor, ceiling } = this.#limits
    if (floor >= ceiling) return null
    const name = nameOf(accounts)
    const known = this.#known.get(name)
    if (!known || performance.now() - known.askedAt >= FRESH_MS) void this.#ask(name, accounts)
    return known?.price ?? null
  }

  /** What to offer for a transaction after it has expired so many times. */
  raised(price: number, expiries: number): number {
    return raisedPrice(price, expiries, this.#limits)
  }

  get ceiling(): number {
    return Math.max(this.#limits.floor, this.#limits.ceiling)
  }
}

const nameOf = (accounts: readonly PublicKey[]) => accounts.map((account) => account.toBase58()).join()

/** The percentile of what was paid in recent slots, within the limits. What is no price is left out. */
export function priceOf(fees: readonly unknown[], { floor, ceiling, percentile }: PriceLimits): number {
  const paid = fees
    .filter((fee): fee is number => typeof fee === "number" && Number.isFinite(fee) && fee >= 0)
    .sort((one, other) => one - other)
  const found = paid[Math.min(Math.floor((paid.length * percentile) / 100), paid.length - 1)] ?? 0
  return Math.min(Math.max(Math.ceil(found), floor), ceiling)
}

/** What is offered after a transaction has expired so many times: twice as much each time. */
export const raisedPrice = (price: number, expiries: number, { ceiling }: PriceLimits): number =>
  expiries === 0
    ? price
    : Math.max(price, Math.min(Math.max(price, FIRST_STEP) * 2 ** Math.min(expiries, 20), ceiling))

/** Mints whose supply instructions change: the accounts that transactions of a workspace write, besides the fee payer. */
export function writtenMints(instructions: readonly TransactionInstruction[]): PublicKey[] {
  const mints = instructions.flatMap(({ programId, keys, data }) => {
    if (!programId.equals(TOKEN_2022_PROGRAM_ID)) return []
    if (data[0] === TokenInstruction.Burn) return keys[1]!.pubkey
    const isMint = data[0] === TokenInstruction.MintTo || data[0] === TokenInstruction.MintToChecked
    return isMint ? keys[0]!.pubkey : []
  })
  return [...new Map(mints.map((mint) => [mint.toBase58(), mint])).values()]
}
