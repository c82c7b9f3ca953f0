import { LAMPORTS_PER_SOL, SYSVAR_CLOCK_PUBKEY } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { noteChainTime } from "#db/clock.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Address } from "#shared/address.ts"
import type { LowPayer } from "#shared/ledger-report.ts"
import { FeePayerBalance, type LowFunds } from "./fee-payer-balance.ts"

/** How often balances and the chain's clock are read. With two modes, that is less than one call a second. */
const READ_EVERY_MS = 2500
/** The same while the embedded network's faucet is about to fund a fee payer. */
export const FUNDING_EVERY_MS = 200
/** How far back spending counts, including spending from before this process started. */
const RECALL_SECONDS = 3600
/** Fee payers that one report names. */
const MAX_REPORTED = 5

/** The balances of a chain's fee payers: the mode's, and those of workspaces that have their own. */
export class Funds {
  readonly #chain: Chain
  readonly #low: LowFunds
  readonly own: FeePayerBalance
  #balances: Map<Address, FeePayerBalance>
  /** A slot that the chain has reached. */
  slot = 0
  #readAt = Number.NEGATIVE_INFINITY
  #isRecalled = false

  constructor(chain: Chain, low: LowFunds) {
    this.#chain = chain
    this.#low = low
    this.own = new FeePayerBalance(addressOf(chain.feePayer.publicKey), { chain, low })
    this.#balances = new Map([[this.own.address, this.own]])
  }

  /** Null if it is not known to pay for any workspace; `refresh` updates this. */
  of(feePayer: Address): FeePayerBalance | null {
    return this.#balances.get(feePayer) ?? null
  }

  /** Fee payers that have too little for all operations. */
  get lowPayers(): Address[] {
    return [...this.#balances.values()].flatMap(({ address, isEnough }) => (isEnough ? [] : address))
  }

  /** Whether the embedded network's faucet is about to fund a fee payer. */
  get isFunding(): boolean {
    return this.#chain.embedded && this.lowPayers.length > 0
  }

  /** Balances of at most `most` fee payers: the mode's first, then the lowest. Null while unknown. */
  balances(most: number): { address: Address; sol: number | null; hoursLeft: number | null }[] {
    const given = [...this.#balances.values()].filter((balance) => balance !== this.own)
    given.sort((one, other) => (one.sol ?? 0) - (other.sol ?? 0))
    return [this.own, ...given]
      .slice(0, most)
      .map(({ address, sol, burnRate: { hoursLeft } }) => ({ address, sol, hoursLeft }))
  }

  /** At most `most` fee payers that need SOL, the lowest balance first. */
  low(most: number): LowPayer[] {
    const low = [...this.#balances.values()].flatMap((balance) => balance.low ?? [])
    return low.sort((one, other) => one.sol - other.sol).slice(0, most)
  }

  /** What keeps some operations from being signed, or will soon. */
  report(kind: "trouble" | "warning"): string[] {
    const reports = [...this.#balances.values()].flatMap((balance) => balance[kind] ?? [])
    const others = reports.length - MAX_REPORTED
    return others > 0
      ? [...reports.slice(0, MAX_REPORTED), `and ${others} more fee payers; the log names them`]
      : reports
  }

  /** Reads the balances and the chain's clock, unless that just happened and `now` is not set. */
  async refresh({ now = false } = {}): Promise<void> {
    const { mode, rpc, embedded, slotMs } = this.#chain
    const every = this.isFunding ? FUNDING_EVERY_MS : READ_EVERY_MS
    if (!now && performance.now() - this.#readAt < every) return
    await this.#find()
    const balances = [...this.#balances.values()]
    const accounts = [SYSVAR_CLOCK_PUBKEY, ...balances.map(({ address }) => publicKeyOf(address))]
    const { slot, value } = await rpc.accounts(accounts, { since: 0 })
    const [clock, ...payers] = value
    this.slot = slot
    if (clock) noteChainTime(mode, { unixSeconds: unixSecondsOf(clock.data), slotMs })
    for (const [i, balance] of balances.entries()) balance.note(payers[i]?.lamports ?? 0)
    this.#readAt = performance.now()
    // The embedded network's faucet keeps its fee payers funded.
    const low = balances.filter(({ sol }) => embedded && (sol ?? 0) < 100)
    for (const { address } of low) await rpc.airdrop(publicKeyOf(address), 1000 * LAMPORTS_PER_SOL)
  }

  /** Lamports available for fees. The chain takes no fee that leaves less than the rent of an empty account. */
  async readForFees(balance: FeePayerBalance, options: { since: number }): Promise<number> {
    const { rpc, rent } = this.#chain
    const lamports = (await rpc.account(publicKeyOf(balance.address), options)).value?.lamports ?? 0
    balance.note(lamports)
    return Math.max(0, lamports - (rent?.of(0) ?? 0))
  }

  async #find(): Promise<void> {
    const rows = await sql<{ fee_payer: Address }[]>`
      select distinct fee_payer from workspaces where mode = ${this.#chain.mode} and fee_payer is not null`
    const about = { chain: this.#chain, low: this.#low }
    const given = rows.map(({ fee_payer }) => this.of(fee_payer) ?? new FeePayerBalance(fee_payer, about))
    this.#balances = new Map([this.own, ...given].map((balance) => [balance.address, balance]))
    if (!this.#isRecalled) await this.#recall()
    this.#isRecalled = true
  }

  async #recall(): Promise<void> {
    const now = clock.now()
    const rows = await sql<{ payer: Address; seconds_ago: number; lamports: string }[]>`
      select coalesce(w.fee_payer, ${this.own.address}) as payer, sum(t.fee + t.rent)::text as lamports,
        extract(epoch from ${now}::timestamptz - date_trunc('minute', t.settled_at))::float8 as seconds_ago
      from workspaces w, lateral (
        select fee, rent, settled_at from transactions
        where workspace_id = w.id and created_at > ${addSeconds(now, -RECALL_SECONDS)} and counted_at is not null) t
      where w.mode = ${this.#chain.mode} group by payer, date_trunc('minute', t.settled_at) order by seconds_ago desc`
    const began = performance.now()
    const spent = rows.map((row) => ({ ...row, at: began - row.seconds_ago * 1000, lamports: Number(row.lamports) }))
    for (const [payer, own] of Map.groupBy(spent, (row) => row.payer)) this.of(payer)?.burnRate.recall(own)
  }
}

/** `unix_timestamp` of the clock sysvar (https://docs.anza.xyz/runtime/sysvars#clock): the last of five fields. */
const unixSecondsOf = (clock: Buffer): number => Number(clock.readBigInt64LE(32))
