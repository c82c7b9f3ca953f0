import type { SignatureStatus } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { logger } from "#server/lib/log.ts"
import { clock, secondsBetween } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Operations } from "./definition.ts"
import { type Ending, Settling } from "./settling.ts"
import type { Saved } from "./signing.ts"

/** Most signatures that one getSignatureStatuses takes. */
const STATUSES = 256
/** Pause between two sendings of the same bytes. */
const RESEND_MS = 1000
/** How often to look for transactions that another worker saved and no longer tracks. */
const ADOPT_EVERY_MS = 1000
/** Age at which a transaction that this worker does not know is taken over. */
const ADOPT_AFTER_SECONDS = 3
/** How often to compare with the finalized height, once something could have expired. */
const EXPIRY_EVERY_MS = 1000

/** Transactions of a workspace that ended and are not settled, from which on it gets no turns. */
const CROWD = 8

type Tracked = Saved & { sentAt: number }

/**
 * Follows a chain's saved transactions to their end: sends and resends the same bytes, and settles what is
 * confirmed, failed or expired. An error of the RPC is *unknown*: it changes nothing, and is asked again.
 */
export class Tracker {
  readonly #chain: Chain
  readonly #tracked = new Map<string, Tracked>()
  readonly #settling: Settling
  #news = false
  #adoptedAt = Number.NEGATIVE_INFINITY
  #expiryAt = Number.NEGATIVE_INFINITY

  constructor(chain: Chain, kinds: Operations) {
    this.#chain = chain
    this.#settling = new Settling(kinds, (signature) => {
      this.#tracked.delete(signature)
      this.#news = true
    })
  }

  /** Transactions that are followed. */
  get size(): number {
    return this.#tracked.size
  }

  /** Those of them that may end at any moment; others have ended, and could not be settled when it was last tried. */
  get underWay(): number {
    return [...this.#tracked.values()].filter((one) => !this.#settling.isHeld(one)).length
  }

  /** Workspaces that have many transactions to be settled first. */
  get crowded(): string[] {
    const workspaces = new Set([...this.#tracked.values()].map((one) => one.workspaceId))
    return [...workspaces].filter((id) => this.#settling.unsettledOf(id) >= CROWD)
  }

  /** Transactions that have ended and cannot be settled; the log says which. */
  get failing(): number {
    return this.#settling.failing
  }

  /** Lets what is being settled end. */
  async end(): Promise<void> {
    await this.#settling.end()
  }

  /** Takes up a transaction that is saved, and sends it. */
  add(saved: Saved): void {
    const tracked = { ...saved, sentAt: performance.now() }
    this.#tracked.set(saved.signature, tracked)
    this.#send(tracked)
  }

  /** One look at everything under way. Throws when the database cannot be reached; nothing is lost by it. */
  async tick(): Promise<void> {
    if (performance.now() - this.#adoptedAt >= ADOPT_EVERY_MS) await this.#adopt()
    if (this.#tracked.size === 0) return
    const signatures = this.#signaturesOf(() => true)
    for (let from = 0; from < signatures.length; from += STATUSES) {
      await this.#look(signatures.slice(from, from + STATUSES))
    }
    this.#tell()
    this.#resend()
    if (performance.now() - this.#expiryAt >= EXPIRY_EVERY_MS) await this.#expire()
  }

  /** Publishes what was settled since the last call. */
  #tell(): void {
    if (!this.#news) return
    this.#news = false
    publish("settled")
    publish("ledger")
  }

  /** Of those that may end at any moment. */
  #signaturesOf(test: (one: Tracked) => boolean): string[] {
    return [...this.#tracked.values()]
      .filter((one) => !this.#settling.isHeld(one) && test(one))
      .map((one) => one.signature)
  }

  #send(tracked: Tracked): void {
    tracked.sentAt = performance.now()
    // Preflight would run it on one node's view; what decides is the chain, and a failure there is final.
    this.#chain.connection
      .sendEncodedTransaction(tracked.wire.toString("base64"), { skipPreflight: true, maxRetries: 0 })
      .catch((error) => logger.debug({ err: error }, "a transaction was not accepted; sending again"))
  }

  #resend(): void {
    for (const tracked of this.#tracked.values()) {
      if (performance.now() - tracked.sentAt >= RESEND_MS) this.#send(tracked)
    }
  }

  /** Takes over what a worker that is gone has saved. Another one that lives may track it too: settling is guarded. */
  async #adopt(): Promise<void> {
    const now = clock.now()
    const rows = await sql<
      {
        signature: string
        workspace_id: string
        wire: Buffer
        last_valid_block_height: bigint
        created_at: Date
      }[]
    >`
      select signature, workspace_id, wire, last_valid_block_height, created_at from transactions
      where mode = ${this.#chain.mode} and status = 'saved' and not signature = any(${[...this.#tracked.keys()]})
      order by created_at limit ${STATUSES}`
    for (const { signature, workspace_id, wire, last_valid_block_height, created_at } of rows) {
      if (this.#adoptedAt >= 0 && secondsBetween(created_at, now) < ADOPT_AFTER_SECONDS) continue
      const lastValidBlockHeight = Number(last_valid_block_height)
      this.add({ signature, workspaceId: workspace_id, wire, lastValidBlockHeight })
    }
    this.#adoptedAt = performance.now()
  }

  async #statuses(signatures: string[], searchTransactionHistory: boolean) {
    return this.#chain.connection.getSignatureStatuses(signatures, { searchTransactionHistory })
  }

  async #look(signatures: string[]): Promise<void> {
    let statuses: (SignatureStatus | null)[]
    try {
      statuses = (await this.#statuses(signatures, false)).value
    } catch (error) {
      logger.debug({ err: error }, "could not read transaction statuses")
      return
    }
    await this.#settling.settle(this.#endings(signatures, statuses))
  }

  #endings(signatures: string[], statuses: (SignatureStatus | null)[]): Ending[] {
    return statuses.flatMap((status, index): Ending[] => {
      const tracked = this.#tracked.get(signatures[index]!)
      if (!tracked || !isConfirmed(status)) return []
      const { signature, workspaceId } = tracked
      const { slot, err } = status
      return err === null
        ? [{ signature, workspaceId, end: "confirmed", slot }]
        : [{ signature, workspaceId, end: "failed", slot, error: err }]
    })
  }

  /**
   * Finds what can never land any more: the *finalized* block height is past the last valid one, and a search of
   * the whole history, answered from a slot at or after that of this height, knows nothing of it. Nodes behind
   * one address differ, so that both answers are compared by their slots.
   */
  async #expire(): Promise<void> {
    this.#expiryAt = performance.now()
    const endings: Ending[] = []
    try {
      const { connection } = this.#chain
      const { blockHeight, absoluteSlot } = await connection.getEpochInfo("finalized")
      if (blockHeight === undefined) return
      const late = this.#signaturesOf((one) => one.lastValidBlockHeight < blockHeight).slice(0, STATUSES)
      if (late.length === 0) return
      const { context, value } = await this.#statuses(late, true)
      if (context.slot < absoluteSlot) return
      endings.push(...this.#endings(late, value))
      for (const [index, status] of value.entries()) {
        const tracked = this.#tracked.get(late[index]!)
        if (status !== null || !tracked) continue
        const { signature, workspaceId } = tracked
        endings.push({ signature, workspaceId, end: "expired" })
      }
    } catch (error) {
      logger.debug({ err: error }, "could not check whether transactions have expired")
      return
    }
    await this.#settling.settle(endings)
    this.#tell()
  }
}

const isConfirmed = (status: SignatureStatus | null): status is SignatureStatus =>
  status !== null && (status.confirmationStatus === "confirmed" || status.confirmationStatus === "finalized")
