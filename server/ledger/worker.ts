import { LAMPORTS_PER_SOL, SYSVAR_CLOCK_PUBKEY } from "@solana/web3.js"
import { isDatabaseUnavailable } from "#db/client.ts"
import { clockDoubt, noteChainTime } from "#db/clock.ts"
import { nextMessage, publish, publishActivity } from "#db/pubsub.ts"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import { bindChain, type Chain, WrongChain } from "#server/solana/chain.ts"
import { Backoff, isLocked } from "./backoff.ts"
import type { Operations } from "./definition.ts"
import { type Lease, Leases } from "./lease.ts"
import type { Planned } from "./pack.ts"
import { type Facts, lookUp } from "./plan.ts"
import { nextWorkspace } from "./queue.ts"
import { type Blockhash, Signing } from "./signing.ts"
import { Tracker } from "./track.ts"
import { type PlannedTurn, planTurn } from "./turn.ts"

/** Transactions under way on one chain, at most, and as many that are being signed: few enough that none grows old. */
const IN_FLIGHT = 64
/** How long the next turn waits for a signer, in milliseconds: one that is here answers within a few. */
const PATIENCE_MS = 25
/** A blockhash is used for this long; a cluster accepts it for about a minute. */
const BLOCKHASH_MS = 1000
const IDLE_MS = 1000
const BALANCE_EVERY_MS = 2000
const EMPTY_BALANCE_EVERY_MS = 200
/** Below this the fee payer could not pay one more account's rent; nothing is signed until it is funded. */
const EMPTY_SOL = 0.01

export type LedgerOptions = { kinds: Operations; priorityFeeMicroLamports: number; lowBalanceSol: number }

type LeasedTurn = PlannedTurn & { lease: Lease }

/** Moves the operations of one chain along: one loop gives turns, the other follows what was sent. */
export class LedgerWorker {
  readonly chain: Chain
  readonly #options: LedgerOptions
  readonly #tracker: Tracker
  readonly #leases = new Leases()
  readonly #signing: Signing
  readonly #stop = new AbortController()
  #loops: Promise<unknown> = Promise.resolve()
  #blockhash: Blockhash | null = null
  #lastWorkspace = ""
  /** Workspaces whose turn found nothing that can run, since something last could. */
  readonly #blocked = new Set<string>()
  /** Workspaces whose turn failed, or met a lock: they are passed over for a while. */
  readonly #failing = new Backoff({ firstMs: 500, longestMs: 30_000 })
  readonly #locked = new Backoff({ firstMs: 250, longestMs: 1000 })
  #sent = Promise.withResolvers<void>()
  #balanceReadAt = Number.NEGATIVE_INFINITY
  readonly #known = Promise.withResolvers<void>()
  balanceSol: number | null = null
  #trouble: string | null = "starting"

  constructor(chain: Chain, options: LedgerOptions) {
    this.chain = chain
    this.#options = options
    this.#tracker = new Tracker(chain, options.kinds)
    const { kinds, priorityFeeMicroLamports } = options
    const latestBlockhash = () => this.#latestBlockhash()
    this.#signing = new Signing({
      chain,
      kinds,
      leases: this.#leases,
      priorityFeeMicroLamports,
      latestBlockhash,
    })
  }

  start(): void {
    this.#loops = Promise.all([
      this.#run("turn", () => this.#turn()),
      this.#run("track", () => this.#track()),
    ])
  }

  /** Lets what is being done end. What has been saved is followed by the next worker. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loops
    await this.#signing.end()
    await this.#tracker.end()
    // Others wait for it to run out where the database is not there.
    await this.#leases.release().catch((error) => logger.debug({ err: error }, "leases are not given back"))
  }

  /** What keeps it from working, or from working for everybody, in a few words; null when nothing does. */
  get trouble(): string | null {
    if (this.#trouble !== null) return this.#trouble
    if (this.#tracker.failing > 0)
      return "transactions have landed that cannot be settled; the log says which"
    if (this.#failing.size > 0) return "turns of a workspace fail; the log says which"
    return null
  }

  /** Resolves when it knows for the first time whether it can work. */
  get known(): Promise<void> {
    return this.#known.promise
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** Repeats a step until stopped. A step that throws has lost nothing: it is tried again after a pause. */
  async #run(name: string, step: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      try {
        await step()
      } catch (error) {
        this.#trouble = troubleOf(error)
        this.#known.resolve()
        logger.warn({ err: error, mode: this.chain.mode, step: name }, "the ledger failed; retrying")
        await sleep(200)
      }
    }
  }

  async #turn(): Promise<void> {
    await bindChain(this.chain)
    await this.#readAccounts()
    const funded = this.#isFunded
    const doubt = clockDoubt(this.chain.mode)
    this.#trouble = doubt ?? (funded ? null : "the fee payer is out of SOL")
    // The embedded network's faucet is about to fund it: that is not known yet.
    if (funded || !this.chain.embedded) this.#known.resolve()
    const room = this.#tracker.underWay < IN_FLIGHT && this.#signing.size < IN_FLIGHT
    const except = [...this.#failing.held, ...this.#locked.held, ...this.#tracker.crowded]
    const workspaceId =
      funded && room && doubt === null
        ? await nextWorkspace({ mode: this.chain.mode, after: this.#lastWorkspace, except })
        : null
    if (workspaceId === null) {
      const pause = !funded ? EMPTY_BALANCE_EVERY_MS : room ? IDLE_MS : this.chain.pollMs
      await nextMessage("ledger", pause, this.#stop.signal)
      return
    }
    this.#lastWorkspace = workspaceId
    if (await this.#giveTurn(workspaceId)) {
      this.#blocked.clear()
    } else if (this.#blocked.has(workspaceId)) {
      // Once around the circle, and all that is queued waits for what is under way: so does this loop.
      this.#blocked.clear()
      await nextMessage("ledger", this.chain.pollMs * 4, this.#stop.signal)
    } else {
      this.#blocked.add(workspaceId)
    }
  }

  /** Returns whether anything moved. A turn that fails holds up no other workspace's. */
  async #giveTurn(workspaceId: string): Promise<boolean> {
    // Where the chain does not answer, that is nobody's own trouble.
    await this.#latestBlockhash()
    try {
      const first = await this.#planTurn(workspaceId, null)
      if (!first) {
        this.#locked.failed(workspaceId)
        return false
      }
      const moved = await this.#signTurn(first, null)
      if (first.toLookUp.length === 0) return moved
      const look = { kinds: this.#options.kinds, operations: first.toLookUp }
      const facts = await lookUp(this.chain, workspaceId, look)
      const second = await this.#planTurn(workspaceId, facts)
      return (second !== null && (await this.#signTurn(second, facts))) || moved
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isLocked(error)) throw error
      this.#putOff(workspaceId, error)
      return false
    }
  }

  /** Null where another worker has the workspace. */
  async #planTurn(workspaceId: string, facts: Facts | null) {
    const lease = await this.#leases.take(workspaceId)
    if (!lease) return null
    const { chain } = this
    const { kinds } = this.#options
    const turn = await planTurn({ chain, kinds, lease, signing: this.#signing.of(workspaceId), facts })
    if (turn.ended) {
      publish("settled")
      this.#noteProgress(workspaceId)
    }
    return { lease, ...turn }
  }

  /**
   * Returns whether anything has moved, or may be about to. A signer that answers at once is waited for: what comes
   * meanwhile fills the next transactions. Behind a slow one turns go on.
   */
  async #signTurn({ lease, planned, ended }: LeasedTurn, facts: Facts | null): Promise<boolean> {
    if (planned.length === 0) {
      if (this.#signing.of(lease.workspaceId).length === 0) this.#putRight(lease.workspaceId)
      return ended
    }
    const answered = new AbortController()
    const patience = sleep(PATIENCE_MS, answered.signal).then(() => true)
    const signed = this.#signAndSend(lease, planned, facts).finally(() => answered.abort())
    return (await Promise.race([signed, patience])) || ended
  }

  /** Returns whether anything was saved, and with it sent. It does not throw. */
  async #signAndSend(lease: Lease, planned: Planned[], facts: Facts | null): Promise<boolean> {
    const { workspaceId } = lease
    try {
      const saved = await this.#signing.signAndSave(lease, planned, facts)
      for (const transaction of saved) this.#tracker.add(transaction)
      if (saved.length > 0) this.#noteProgress(workspaceId)
      this.#putRight(workspaceId)
      return saved.length > 0
    } catch (error) {
      this.#putOff(workspaceId, error)
      return false
    }
  }

  #putOff(workspaceId: string, error: unknown): void {
    const backoff = isDatabaseUnavailable(error) ? this.#locked : this.#failing
    backoff.failed(workspaceId)
    logger.warn(
      { err: error, mode: this.chain.mode, workspaceId },
      "a workspace's turn failed; retrying later",
    )
  }

  #putRight(workspaceId: string): void {
    this.#locked.succeeded(workspaceId)
    this.#failing.succeeded(workspaceId)
  }

  #noteProgress(workspaceId: string): void {
    publishActivity(workspaceId)
    this.#sent.resolve()
  }

  async #track(): Promise<void> {
    await this.#tracker.tick()
    if (this.#tracker.size > 0) return sleep(this.chain.pollMs)
    this.#sent = Promise.withResolvers()
    await Promise.race([this.#sent.promise, nextMessage("ledger", IDLE_MS, this.#stop.signal)])
  }

  async #latestBlockhash(): Promise<Blockhash> {
    const known = this.#blockhash
    if (known && performance.now() - known.readAt < BLOCKHASH_MS) return known
    const readAt = performance.now()
    const latest = await this.chain.connection.getLatestBlockhash("confirmed")
    this.#blockhash = { ...latest, readAt }
    return this.#blockhash
  }

  get #isFunded(): boolean {
    return this.balanceSol !== null && this.balanceSol >= EMPTY_SOL
  }

  /** The fee payer's balance and the chain's clock. */
  async #readAccounts(): Promise<void> {
    const every = this.#isFunded ? BALANCE_EVERY_MS : EMPTY_BALANCE_EVERY_MS
    if (performance.now() - this.#balanceReadAt < every) return
    const { mode, connection, feePayer, embedded, slotMs } = this.chain
    const accounts = [feePayer.publicKey, SYSVAR_CLOCK_PUBKEY]
    const [payer, clock] = await connection.getMultipleAccountsInfo(accounts, "confirmed")
    if (clock) noteChainTime(mode, { unixSeconds: unixSecondsOf(clock.data), slotMs })
    this.balanceSol = (payer?.lamports ?? 0) / LAMPORTS_PER_SOL
    this.#balanceReadAt = performance.now()
    // The embedded network's faucet keeps its fee payers funded.
    if (embedded && this.balanceSol < 100)
      await connection.requestAirdrop(feePayer.publicKey, 1000 * LAMPORTS_PER_SOL)
  }

  /** The fee payer's balance is low, but work continues. */
  get isLow(): boolean {
    return this.balanceSol !== null && this.balanceSol < this.#options.lowBalanceSol
  }
}

/**
 * `unix_timestamp` of the clock sysvar (https://docs.anza.xyz/runtime/sysvars#clock): the last of five 8-byte
 * fields.
 */
const unixSecondsOf = (clock: Buffer): number => Number(clock.readBigInt64LE(32))

function troubleOf(error: unknown): string {
  if (error instanceof WrongChain) return "the configured chain has changed"
  return isDatabaseUnavailable(error) ? "the database is unreachable" : "the chain is unreachable"
}
