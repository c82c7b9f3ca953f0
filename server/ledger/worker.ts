import { isDatabaseUnavailable, isLocked } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { nextMessage, publish, publishActivity } from "#db/pubsub.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { bindChain, type Chain } from "#server/solana/chain.ts"
import { type PriceLimits, PriorityFees } from "#server/solana/priority-fees.ts"
import { SignerFailure } from "#server/solana/signers/definition.ts"
import { FEE_PER_TRANSACTION } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import { type Capacity, capacityFor } from "./capacity.ts"
import { CostCounter } from "./costs.ts"
import type { Operations } from "./definition.ts"
import type { FeePayerBalance, LowFunds } from "./fee-payer-balance.ts"
import { Finality } from "./finality.ts"
import { FUNDING_EVERY_MS, Funds } from "./funds.ts"
import { Leases } from "./lease.ts"
import { Outage, troubleOf } from "./outage.ts"
import { type Facts, lookUp, type PlannedBatch, planBatch } from "./plan.ts"
import { type Next, nextWorkspace } from "./queue.ts"
import { troubleOfSent } from "./report.ts"
import { Comparison } from "./restore/comparison.ts"
import type { Blockhash } from "./save.ts"
import type { SettlingCommitment } from "./settling.ts"
import { Signing, type SignOptions } from "./signing.ts"
import { Tracker } from "./track.ts"

/** How long the next batch waits for a signer, in milliseconds: a local one answers within a few. */
const SIGNER_WAIT_MS = 25
/** A blockhash is used for this long; a cluster accepts it for about a minute. */
const BLOCKHASH_MS = 1000
const IDLE_MS = 1000
const RETRY_MS = 200

/** What a batch may sign: only urgent operations or all, for how much in fees, and at what price per compute unit. */
type Limits = { urgentOnly: boolean; fees_lamports: number; price: number }

export type LedgerOptions = {
  kinds: Operations
  price: PriceLimits
  lowFunds: LowFunds
  commitment: SettlingCommitment
}

/**
 * Carries out the operations of one chain in four loops: one signs batches, one follows what was sent until it is
 * settled, one follows what was settled until it is final, and one counts costs.
 */
export class LedgerWorker {
  readonly chain: Chain
  readonly #options: LedgerOptions
  readonly #tracker: Tracker
  readonly #finality: Finality
  readonly #costs: CostCounter
  readonly #fees: PriorityFees
  readonly #leases = new Leases()
  readonly #signing: Signing
  readonly #comparison: Comparison
  readonly #stop = new AbortController()
  #loops: Promise<unknown> = Promise.resolve()
  #blockhash: (Blockhash & { readAt: number }) | null = null
  #lastWorkspace = ""
  #lastWasUrgent = false
  /** Workspaces whose last batch found nothing to run, since a batch last made progress. */
  readonly #blocked = new Set<string>()
  /** Workspaces whose batch failed. They are skipped for a while. */
  readonly #failing = new Backoff({ firstMs: 500, longestMs: 30_000 })
  /** Whether the last batch that failed did so because of a key. */
  #signerFails = false
  /** Workspaces whose batch met a lock, or that another worker has. They are skipped, too. */
  readonly #locked = new Backoff({ firstMs: 250, longestMs: 1000 })
  readonly #emptyPayers = new Backoff({ firstMs: IDLE_MS, longestMs: IDLE_MS })
  #sent = Promise.withResolvers<void>()
  readonly #known = Promise.withResolvers<void>()
  readonly funds: Funds
  /** Transactions that are being signed or may still land. */
  readonly inFlight = () => this.#tracker.size + this.#signing.size
  #trouble: string | null = "starting"
  /** Why each step last failed. Success of one step does not clear the failure of another. */
  readonly #failingSteps = new Map<string, string>()

  constructor(chain: Chain, options: LedgerOptions) {
    this.chain = chain
    this.#options = options
    this.funds = new Funds(chain, options.lowFunds)
    this.#tracker = new Tracker(chain, options)
    this.#finality = new Finality(chain, options)
    this.#costs = new CostCounter(chain)
    this.#comparison = new Comparison(chain, options.kinds)
    // The embedded network has no competing senders.
    const ceiling = chain.embedded ? options.price.floor : options.price.ceiling
    this.#fees = new PriorityFees(chain.rpc, { ...options.price, ceiling })
    const about = { chain, kinds: options.kinds, leases: this.#leases, fees: this.#fees }
    this.#signing = new Signing({ ...about, latestBlockhash: () => this.#latestBlockhash() })
  }

  start(): void {
    this.#loops = Promise.all([
      this.#run("turn", () => this.#turn()),
      this.#run("track", () => this.#track()),
      this.#run("finality", async () => {
        if (this.#comparison.reason === null) await this.#finality.tick()
        await sleep(this.#finality.pause, this.#stop.signal)
      }),
      this.#run("costs", async () => {
        if (!(await this.#costs.tick())) await sleep(IDLE_MS, this.#stop.signal)
      }),
    ])
  }

  /** Waits for what is running. The next worker follows what has been saved. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loops
    await this.#signing.end()
    await Promise.all([this.#tracker.end(), this.#finality.end()])
    // If the database is unreachable, others wait for the leases to expire.
    await this.#leases.release().catch((error) => logger.debug({ err: error }, "could not give leases back"))
  }

  /** What keeps the worker from working, entirely or for some workspaces, in a few words; null if nothing does. */
  get trouble(): string | null {
    const [ofStep] = this.#failingSteps.values()
    if (ofStep !== undefined) return ofStep
    if (this.#trouble !== null) return this.#trouble
    const about = { tracker: this.#tracker, comparison: this.#comparison, finality: this.#finality }
    const ofSent = troubleOfSent(about)
    if (ofSent !== null || this.#failing.size === 0) return ofSent
    return this.#signerFails
      ? "a signer does not answer as it should; the log says which"
      : "batches of a workspace fail; the log says which"
  }

  /** Transactions whose outcome no node can say. */
  get inDoubt(): number {
    return this.#tracker.inDoubt
  }

  /** Resolves when the worker first knows whether it can work. */
  get known(): Promise<void> {
    return this.#known.promise
  }

  /** Repeats a step until stopped. A step that throws loses nothing: it is tried again after a pause. */
  async #run(name: string, step: () => Promise<void>): Promise<void> {
    const outage = new Outage({ mode: this.chain.mode, step: name })
    while (!this.#stop.signal.aborted) {
      try {
        await step()
        this.#failingSteps.delete(name)
        outage.noteSuccess()
      } catch (error) {
        this.#failingSteps.set(name, troubleOf(error))
        this.#known.resolve()
        outage.noteFailure(error)
        await sleep(RETRY_MS, this.#stop.signal)
      }
    }
  }

  async #turn(): Promise<void> {
    await bindChain(this.chain)
    void this.chain.rpc.nodes.learnCapabilities(this.chain.feePayer.publicKey)
    await this.funds.refresh()
    const doubt = clockDoubt(this.chain.mode) ?? (await this.#comparison.check(this.funds.slot))
    this.#trouble = doubt ?? (this.funds.report("trouble").join("; ") || null)
    // The embedded network's faucet is about to fund it, so its balance is not known yet.
    if (this.funds.own.isEnough || !this.chain.embedded) this.#known.resolve()
    const capacity = capacityFor(this.#tracker.load, this.#signing.load)
    const low = [...this.funds.lowPayers, ...this.#tracker.stuckPayers]
    const next = doubt === null && capacity.forUrgent ? await this.#nextWorkspace(capacity, low) : null
    if (next === null) {
      this.#blocked.clear()
      const isFull = !capacity.forAll || capacity.full.length > 0
      const pause = this.funds.isFunding ? FUNDING_EVERY_MS : isFull ? this.chain.pollMs : IDLE_MS
      await nextMessage("ledger", pause, this.#stop.signal)
      return
    }
    const { workspaceId, feePayer } = next
    const balance = this.funds.of(feePayer)
    // A workspace has just been given this fee payer.
    if (balance === null) return this.funds.refresh({ now: true })
    const isLow = low.includes(feePayer)
    const fees_lamports = isLow ? await this.#feesLeft(balance) : Number.POSITIVE_INFINITY
    if (fees_lamports < FEE_PER_TRANSACTION) return this.#emptyPayers.failed(feePayer)
    this.#lastWasUrgent = next.isUrgent
    if (!next.isUrgent) this.#lastWorkspace = workspaceId
    const urgentOnly = isLow || !capacity.forAll || capacity.full.includes(workspaceId)
    if (await this.#runBatch(next, { urgentOnly, fees_lamports })) {
      this.#blocked.clear()
    } else if (this.#blocked.has(workspaceId)) {
      // The circle is complete and everything queued waits for what is in flight, so this loop waits too.
      this.#blocked.clear()
      await nextMessage("ledger", this.chain.pollMs * 4, this.#stop.signal)
    } else {
      this.#blocked.add(workspaceId)
    }
  }

  /** Returns whether anything made progress. A failure in one workspace delays no other. */
  async #runBatch({ workspaceId, feePayer }: Next, least: Omit<Limits, "price">): Promise<boolean> {
    // If the chain does not answer, the workspace is not at fault.
    const [price] = await Promise.all([this.#fees.priceFor([publicKeyOf(feePayer)]), this.#latestBlockhash()])
    const limits = { ...least, price }
    try {
      const first = await this.#planBatch(workspaceId, null, limits)
      if (!first) {
        this.#locked.failed(workspaceId)
        return false
      }
      const moved = await this.#signBatch(first, null, limits)
      if (first.toLookUp.length === 0) return moved
      const facts = await lookUp({ chain: this.chain, workspaceId }, this.#options.kinds, first.toLookUp)
      const second = await this.#planBatch(workspaceId, facts, limits)
      return (second !== null && (await this.#signBatch(second, facts, limits))) || moved
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isLocked(error)) throw error
      this.#delay(workspaceId, error)
      return false
    }
  }

  /** Null if another worker has the workspace. */
  async #planBatch(workspaceId: string, facts: Facts | null, { urgentOnly }: Limits) {
    const batch = await planBatch({
      chain: this.chain,
      kinds: this.#options.kinds,
      leases: this.#leases,
      workspaceId,
      signing: this.#signing.of(workspaceId),
      facts,
      urgentOnly,
    })
    if (batch?.ended) {
      publish("settled")
      this.#noteProgress(workspaceId)
    }
    return batch
  }

  /**
   * Returns whether anything made progress or may soon. It waits for a signer that answers at once, so that operations
   * arriving in the meantime fill the next transactions. A slow signer does not hold up batches.
   */
  async #signBatch(batch: PlannedBatch, facts: Facts | null, limits: Limits): Promise<boolean> {
    const { lease, planned, ended } = batch
    if (planned.length === 0) {
      if (this.#signing.of(lease.workspaceId).length === 0) this.#noteBatchSuccess(lease.workspaceId)
      return ended
    }
    await this.#signing.prepare(batch)
    const answered = new AbortController()
    const patience = sleep(SIGNER_WAIT_MS, answered.signal).then(() => true)
    const signed = this.#signAndSend(batch, { facts, ...limits }).finally(() => answered.abort())
    return (await Promise.race([signed, patience])) || ended
  }

  /** Returns whether anything was saved and therefore sent. It does not throw. */
  async #signAndSend(batch: PlannedBatch, about: SignOptions): Promise<boolean> {
    const { workspaceId } = batch.lease
    try {
      const saved = await this.#signing.signAndSave(batch, about)
      for (const transaction of saved) this.#tracker.add(transaction)
      if (saved.length > 0) this.#noteProgress(workspaceId)
      this.#noteBatchSuccess(workspaceId)
      return saved.length > 0
    } catch (error) {
      this.#delay(workspaceId, error)
      return false
    }
  }

  #delay(workspaceId: string, error: unknown): void {
    this.#signerFails = error instanceof SignerFailure
    const backoff = isDatabaseUnavailable(error) ? this.#locked : this.#failing
    backoff.failed(workspaceId)
    logger.warn({ err: error, mode: this.chain.mode, workspaceId }, "a workspace's batch failed; retrying later")
  }

  #noteBatchSuccess(workspaceId: string): void {
    this.#locked.succeeded(workspaceId)
    this.#failing.succeeded(workspaceId)
  }

  #noteProgress(workspaceId: string): void {
    publishActivity(workspaceId)
    this.#sent.resolve()
  }

  async #track(): Promise<void> {
    if (this.#comparison.reason !== null) return sleep(this.chain.pollMs, this.#stop.signal)
    await this.#tracker.tick()
    if (this.#tracker.size > 0) return sleep(this.chain.pollMs)
    this.#sent = Promise.withResolvers()
    await Promise.race([this.#sent.promise, nextMessage("ledger", IDLE_MS, this.#stop.signal)])
  }

  async #latestBlockhash(): Promise<Blockhash> {
    const known = this.#blockhash
    if (known && performance.now() - known.readAt < BLOCKHASH_MS) return known
    const readAt = performance.now()
    const { slot, value } = await this.chain.rpc.latestBlockhash({ since: this.#tracker.settledSlot })
    this.#blockhash = { ...value, slot, readAt }
    return this.#blockhash
  }

  /** Urgent operations go first, but not twice in a row before others. */
  #nextWorkspace(capacity: Capacity, low: readonly Address[]) {
    return nextWorkspace({
      mode: this.chain.mode,
      after: this.#lastWorkspace,
      except: [...this.#failing.held, ...this.#locked.held, ...this.#tracker.overloaded, ...capacity.closed],
      urgent: !capacity.forAll ? "only" : this.#lastWasUrgent ? "last" : "first",
      blocked: [...this.#blocked],
      full: capacity.full,
      payers: { own: this.funds.own.address, low, empty: this.#emptyPayers.held as Address[] },
    })
  }

  /** Lamports that a fee payer can still spend on fees, apart from what is in flight. */
  async #feesLeft(balance: FeePayerBalance): Promise<number> {
    const promised = this.#tracker.feesOf(balance.address) + this.#signing.feesOf(balance.address)
    return (await this.funds.readForFees(balance, { since: this.#tracker.settledSlot })) - promised
  }
}
