import type { SignatureStatus } from "@solana/web3.js"
import { sql } from "#db/client.ts"
import { announce } from "#server/bus.ts"
import { logger } from "#server/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import { clock, secondsBetween } from "#server/time.ts"
import type { Landing } from "./kinds.ts"
import { settleConfirmed, settleExpired, settleFailed } from "./settle.ts"
import type { Saved } from "./submit.ts"

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

type Tracked = Saved & { sentAt: number }

/**
 * Follows a chain's saved transactions to their end: sends and resends the same bytes, and settles what is
 * confirmed, failed or expired. An error of the RPC is *unknown*: it changes nothing, and is asked again.
 */
export class Tracker {
  readonly #chain: Chain
  readonly #tracked = new Map<string, Tracked>()
  #adoptedAt = 0
  #expiryAt = 0

  constructor(chain: Chain) {
    this.#chain = chain
  }

  /** Transactions under way. */
  get size(): number {
    return this.#tracked.size
  }

  /** Takes up a transaction that is saved, and sends it. */
  add(saved: Saved): void {
    const tracked = { ...saved, sentAt: Date.now() }
    this.#tracked.set(saved.signature, tracked)
    this.#send(tracked)
  }

  /** One look at everything under way. Throws when the database cannot be reached; nothing is lost by it. */
  async tick(): Promise<void> {
    if (Date.now() - this.#adoptedAt >= ADOPT_EVERY_MS) await this.#adopt()
    if (this.#tracked.size === 0) return
    const signatures = [...this.#tracked.keys()]
    let settled = false
    for (let from = 0; from < signatures.length; from += STATUSES) {
      settled = (await this.#look(signatures.slice(from, from + STATUSES))) || settled
    }
    if (settled) {
      announce("settled")
      announce("ledger")
    }
    this.#resend()
    if (Date.now() - this.#expiryAt >= EXPIRY_EVERY_MS) await this.#expire()
  }

  #send(tracked: Tracked): void {
    tracked.sentAt = Date.now()
    // Preflight would run it on one node's view; what decides is the chain, and a failure there is final.
    this.#chain.connection
      .sendEncodedTransaction(tracked.wire.toString("base64"), { skipPreflight: true, maxRetries: 0 })
      .catch((error) => logger.debug({ err: error }, "a transaction was not accepted; it is sent again"))
  }

  #resend(): void {
    for (const tracked of this.#tracked.values()) {
      if (Date.now() - tracked.sentAt >= RESEND_MS) this.#send(tracked)
    }
  }

  /** Takes over what a worker that is gone has saved. Another one that lives may track it too: settling is guarded. */
  async #adopt(): Promise<void> {
    const now = clock.now()
    const rows = await sql<
      { signature: string; wire: Buffer; last_valid_block_height: bigint; created_at: Date }[]
    >`
      select signature, wire, last_valid_block_height, created_at from transactions
      where mode = ${this.#chain.mode} and status = 'saved' and not signature = any(${[...this.#tracked.keys()]})
      order by created_at limit ${STATUSES}`
    for (const { signature, wire, last_valid_block_height, created_at } of rows) {
      if (this.#adoptedAt > 0 && secondsBetween(created_at, now) < ADOPT_AFTER_SECONDS) continue
      this.add({ signature, wire, lastValidBlockHeight: Number(last_valid_block_height) })
    }
    this.#adoptedAt = Date.now()
  }

  async #statuses(signatures: string[], searchTransactionHistory: boolean) {
    return this.#chain.connection.getSignatureStatuses(signatures, { searchTransactionHistory })
  }

  async #look(signatures: string[]): Promise<boolean> {
    let statuses: (SignatureStatus | null)[]
    try {
      statuses = (await this.#statuses(signatures, false)).value
    } catch (error) {
      logger.debug({ err: error }, "statuses are unknown for now")
      return false
    }
    return this.#settle(signatures, statuses)
  }

  async #settle(signatures: string[], statuses: (SignatureStatus | null)[]): Promise<boolean> {
    const landings: Landing[] = []
    let failed = false
    for (const [index, status] of statuses.entries()) {
      const signature = signatures[index]!
      if (!isConfirmed(status)) continue
      if (status.err === null) {
        landings.push({ signature, slot: status.slot })
      } else {
        await settleFailed(signature, status.slot, status.err)
        this.#tracked.delete(signature)
        failed = true
      }
    }
    await this.#settleLandings(landings)
    return failed || landings.length > 0
  }

  /** All in one commit; if that cannot be, one by one, so that one that cannot be settled holds up no other. */
  async #settleLandings(landings: Landing[]): Promise<void> {
    try {
      await settleConfirmed(landings)
      for (const { signature } of landings) this.#tracked.delete(signature)
    } catch (error) {
      if (landings.length <= 1) throw error
      for (const landing of landings) await this.#settleLandings([landing])
    }
  }

  /**
   * Finds what can never land any more: the *finalized* block height is past the last valid one, and a search of
   * the whole history, answered from a slot at or after that of this height, knows nothing of it. Nodes behind
   * one address differ, so that both answers are compared by their slots.
   */
  async #expire(): Promise<void> {
    this.#expiryAt = Date.now()
    try {
      const { connection } = this.#chain
      const { blockHeight, absoluteSlot } = await connection.getEpochInfo("finalized")
      if (blockHeight === undefined) return
      const late = [...this.#tracked.values()]
        .filter((one) => one.lastValidBlockHeight < blockHeight)
        .slice(0, STATUSES)
      if (late.length === 0) return
      const signatures = late.map((one) => one.signature)
      const { context, value } = await this.#statuses(signatures, true)
      if (context.slot < absoluteSlot) return
      await this.#settle(signatures, value)
      for (const [index, status] of value.entries()) {
        if (status !== null) continue
        await settleExpired(signatures[index]!)
        this.#tracked.delete(signatures[index]!)
      }
      announce("ledger")
    } catch (error) {
      logger.debug({ err: error }, "whether transactions have expired is unknown for now")
    }
  }
}

const isConfirmed = (status: SignatureStatus | null): status is SignatureStatus =>
  status !== null && (status.confirmationStatus === "confirmed" || status.confirmationStatus === "finalized")
