import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Address } from "#shared/address.ts"
import type { LowPayer } from "#shared/ledger-report.ts"

/** Below this, a fee payer cannot pay for one more account. Only urgent operations are signed until it has more. */
const EMPTY_SOL = 0.01
const LOG_EVERY_MS = 60_000

/** When people are warned: below a balance, and when it will last fewer hours than this. */
export type LowFunds = { lowBalanceSol: number; lowBalanceHours: number }

/** A fee payer's balance, how fast it is spent, and what it is enough for. */
export class FeePayerBalance {
  readonly address: Address
  readonly burnRate = new BurnRate()
  readonly #chain: Chain
  readonly #low: LowFunds
  #lamports: number | null = null
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(address: Address, { chain, low }: { chain: Chain; low: LowFunds }) {
    this.address = address
    this.#chain = chain
    this.#low = low
  }

  get sol(): number | null {
    return this.#lamports === null ? null : this.#lamports / LAMPORTS_PER_SOL
  }

  get isEnough(): boolean {
    return this.sol !== null && this.sol >= EMPTY_SOL
  }

  /** What keeps some operations from being signed. */
  get trouble(): string | null {
    if (this.isEnough || this.sol === null) return null
    return `the fee payer ${this.address} is out of SOL (${this.sol}): send it some. Until then only revocations, freezes and pauses go on, as long as it can pay their fees`
  }

  /** What will soon keep operations from being signed. */
  get warning(): string | null {
    if (this.sol !== null && this.sol < this.#low.lowBalanceSol)
      return `the fee payer ${this.address} is low on SOL (${this.sol}): send it some`
    const hours = this.burnRate.hoursLeft
    if (hours === null || hours >= this.#low.lowBalanceHours || this.#chain.embedded) return null
    return `the fee payer ${this.address} has ${this.sol} SOL, which lasts ${hours.toFixed(1)} hours at the rate of the last one: send it some`
  }

  /** Null while the balance is enough or unknown. The embedded network funds its own fee payers. */
  get low(): LowPayer | null {
    const { address, sol } = this
    const { mode, embedded } = this.#chain
    if (embedded || sol === null || (this.trouble ?? this.warning) === null) return null
    return { mode, address, sol, hours_left: this.burnRate.hoursLeft }
  }

  note(lamports: number): void {
    this.#lamports = lamports
    this.burnRate.note(lamports, performance.now())
    const problem = this.trouble ?? this.warning
    if (problem === null) this.#loggedAt = Number.NEGATIVE_INFINITY
    // The embedded network's faucet is about to fund it.
    if (problem === null || this.#chain.embedded || performance.now() - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = performance.now()
    logger.warn({ mode: this.#chain.mode, feePayer: this.address, sol: this.sol }, problem)
  }
}

/** How far back spending counts, and how much history is needed before an estimate, in milliseconds. */
const WINDOW_MS = 3_600_000
const LEAST_MS = 600_000
/** Spending within this time is added up in one entry. */
const STEP_MS = 60_000

/** How fast a balance is spent. Deposits do not count. */
export class BurnRate {
  /** The amount spent between a time and the next entry. */
  #spent: { since: number; lamports: number }[] = []
  #last: { lamports: number; at: number } | null = null

  /** Adds spending from before this process started, so that the rate is known right after a restart. */
  recall(spent: readonly { at: number; lamports: number }[]): void {
    const recalled = spent.map(({ at, lamports }) => ({ since: at, lamports }))
    this.#spent = [...recalled, ...this.#spent].sort((one, other) => one.since - other.since)
  }

  note(lamports: number, at: number): void {
    const before = this.#last
    this.#last = { lamports, at }
    if ((this.#spent.at(-1)?.since ?? Number.NEGATIVE_INFINITY) + STEP_MS <= at)
      this.#spent.push({ since: at, lamports: 0 })
    if (before) this.#spent.at(-1)!.lamports += Math.max(0, before.lamports - lamports)
    this.#spent = this.#spent.filter(({ since }) => since > at - WINDOW_MS)
  }

  /** How many hours the balance lasts at this rate. Null if nothing is spent or too little is known. */
  get hoursLeft(): number | null {
    const [first] = this.#spent
    if (!first || !this.#last || this.#last.at - first.since < LEAST_MS) return null
    const spent = this.#spent.reduce((sum, { lamports }) => sum + lamports, 0)
    if (spent === 0) return null
    return (this.#last.lamports * (this.#last.at - first.since)) / spent / 3_600_000
  }
}
