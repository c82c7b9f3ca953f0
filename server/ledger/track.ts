import type { SignatureStatus } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { logger } from "#server/lib/log.ts"
import { clock, secondsBetween } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import { FEE_PER_TRANSACTION, feePayerIn } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import type { Operations } from "./definition.ts"
import { examine, isLate } from "./evidence.ts"
import { type Ending, Settling } from "./settling.ts"
import { isConfirmed, type SettlingCommitment } from "./settling-commitment.ts"
import type { Saved } from "./signing.ts"
import { sureEndings } from "./sure-endings.ts"

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
/** How long one is followed before it could have expired: no cluster has 150 blocks in less. */
const EXPIRY_AFTER_MS = 5000
/** How soon to look again for one that has landed, but not as surely as it must. */
const LANDED_AGAIN_MS = 1000

/** Transactions of a workspace that ended and are not settled, from which on it gets no turns. */
const CROWD = 8

/** So many transactions of a workspace's own fee payer that have not landed after so long hold up the rest of it. */
const STUCK = 8
const STUCK_MS = 10_000

type Tracked = Saved & {
  addedAt: number
  sentAt: number
  /** Until when nobody need ask: it has landed, and is not as sure as it must be. */
  landedUntil: number
  doubt: Doubt | null
}

export type TrackerOptions = { kinds: Operations; commitment: SettlingCommitment }

/** Nobody can say whether it has landed. It is looked at again later and later. */
type Doubt = { reason: string; times: number; againAt: number }

/** The first and the longest pause between two looks at a transaction in doubt. */
const FIRST_DOUBT_MS = 2000
const LONGEST_DOUBT_MS = 60_000

/**
 * Follows a chain's saved transactions to their end: sends and resends the same bytes, and settles what is
 * confirmed, failed or expired. An error of the RPC is *unknown*: it changes nothing, and is asked again.
 */
export class Tracker {
  readonly #chain: Chain
  readonly #kinds: Operations
  readonly #commitment: SettlingCommitment
  readonly #tracked = new Map<string, Tracked>()
  readonly #settling: Settling
  #settledSlot = 0
  #news = false
  #adoptedAt = Number.NEGATIVE_INFINITY
  #expiring: Promise<void> | null = null
  #expiryAt = Number.NEGATIVE_INFINITY

  constructor(chain: Chain, { kinds, commitment }: TrackerOptions) {
    this.#chain = chain
    this.#kinds = kinds
    this.#commitment = commitment
    this.#settling = new Settling(kinds, (signature) => {
      this.#tracked.delete(signature)
      this.#news = true
    })
  }

  /** Transactions that are followed. */
  get size(): number {
    return this.#tracked.size
  }

  /** What those cost that may still land and that a key pays for. */
  feesOf(feePayer: Address): number {
    const own = [...this.#tracked.values()].filter((one) => one.feePayer === feePayer)
    return own.reduce((sum, { fee_lamports }) => sum + fee_lamports, 0)
  }

  /**
   * Those of them that may end at any moment; others have ended, and could not be settled when it was last tried. What a
   * workspace's own fee payer holds up takes no place from others.
   */
  get underWay(): number {
    const stuck = this.stuckPayers
    const counts = (one: Tracked) => !this.#settling.isHeld(one) && !stuck.has(one.feePayer)
    return [...this.#tracked.values()].filter(counts).length
  }

  /** Fee payers of workspaces that many transactions name which do not land: it may be empty, whatever a node says. */
  get stuckPayers(): Set<Address> {
    const now = performance.now()
    const modes = addressOf(this.#chain.feePayer.publicKey)
    const old = [...this.#tracked.values()].filter(
      ({ feePayer, addedAt, landedUntil }) =>
        feePayer !== modes && landedUntil <= now && now - addedAt > STUCK_MS,
    )
    const byPayer = Map.groupBy(old, ({ feePayer }) => feePayer)
    return new Set([...byPayer].flatMap(([feePayer, own]) => (own.length >= STUCK ? feePayer : [])))
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

  /** The highest slot that anything has landed in, as far as is known: no node is believed that is not as far. */
  get settledSlot(): number {
    return this.#settledSlot
  }

  /** Transactions of which nobody can say whether they have landed. */
  get inDoubt(): number {
    return [...this.#tracked.values()].filter(({ doubt }) => doubt !== null).length
  }

  /** Lets what is being settled end. */
  async end(): Promise<void> {
    await this.#expiring
    await this.#settling.end()
  }

  /** Takes up a transaction that is saved, and sends it. */
  add(saved: Saved): void {
    const now = performance.now()
    const tracked = { ...saved, addedAt: now, sentAt: now, landedUntil: 0, doubt: null }
    this.#tracked.set(saved.signature, tracked)
    this.#send(tracked)
  }

  /** One look at everything under way. Throws when the database cannot be reached; nothing is lost by it. */
  async tick(): Promise<void> {
    if (performance.now() - this.#adoptedAt >= ADOPT_EVERY_MS) await this.#adopt()
    if (this.#tracked.size === 0) return
    const now = performance.now()
    const signatures = this.#signaturesOf(({ landedUntil }) => landedUntil <= now)
    for (let from = 0; from < signatures.length; from += STATUSES) {
      await this.#look(signatures.slice(from, from + STATUSES))
    }
    this.#tell()
    this.#resend()
    // It may have to read a long history: what is under way is followed meanwhile.
    if (performance.now() - this.#expiryAt >= EXPIRY_EVERY_MS)
      this.#expiring ??= this.#expire().finally(() => {
        this.#expiring = null
      })
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
    this.#chain.rpc.nodes.send(tracked.wire)
  }

  #resend(): void {
    const now = performance.now()
    for (const tracked of this.#tracked.values()) {
      if (now - tracked.sentAt >= RESEND_MS && tracked.landedUntil <= now) this.#send(tracked)
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
        signed_slot: bigint | null
        last_valid_block_height: bigint
        fee: bigint | null
        created_at: Date
      }[]
    >`
      select signature, workspace_id, wire, signed_slot, last_valid_block_height, fee, created_at from transactions
      where mode = ${this.#chain.mode} and status = 'saved' and not signature = any(${[...this.#tracked.keys()]})
      order by created_at limit ${STATUSES}`
    for (const row of rows) {
      if (this.#adoptedAt >= 0 && secondsBetween(row.created_at, now) < ADOPT_AFTER_SECONDS) continue
      const { signature, workspace_id, wire, signed_slot, last_valid_block_height, fee } = row
      const signedSlot = signed_slot === null ? null : Number(signed_slot)
      const lastValidBlockHeight = Number(last_valid_block_height)
      const fee_lamports = Number(fee ?? FEE_PER_TRANSACTION)
      const feePayer = feePayerIn(wire)
      const lasts = { signedSlot, lastValidBlockHeight }
      this.add({ signature, workspaceId: workspace_id, wire, feePayer, ...lasts, fee_lamports })
    }
    this.#adoptedAt = performance.now()
  }

  async #look(signatures: string[]): Promise<void> {
    let statuses: (SignatureStatus | null)[]
    try {
      statuses = (await this.#chain.rpc.statuses(signatures, { since: this.#settledSlot })).value
    } catch (error) {
      logger.debug({ err: error }, "could not read transaction statuses")
      return
    }
    await this.#settle(this.#endings(signatures, statuses))
  }

  #endings(signatures: string[], statuses: (SignatureStatus | null)[]): Ending[] {
    return statuses.flatMap((status, index): Ending[] => {
      const tracked = this.#tracked.get(signatures[index]!)
      if (!tracked || !isConfirmed(status)) return []
      const { signature, workspaceId } = tracked
      const { slot, err } = status
      const isFinal = status.confirmationStatus === "finalized"
      this.#settledSlot = Math.max(this.#settledSlot, slot)
      // What failed would be signed anew; should its slot vanish, the same bytes could still land, and not fail.
      if (!isFinal && (err !== null || this.#commitment === "finalized")) {
        this.#lookAgain(signature)
        return []
      }
      return err === null
        ? // That it is there for good takes more than one word (`finality.ts`).
          [{ signature, workspaceId, end: "confirmed", slot, isFinal: false }]
        : [{ signature, workspaceId, end: "failed", slot, error: err }]
    })
  }

  /**
   * Looks for what became of transactions whose blockhash is invalid for good: the *finalized* height is past their last
   * valid one. What a node knows of them counts; that it knows nothing does not (`evidence.ts`).
   */
  async #expire(): Promise<void> {
    this.#expiryAt = performance.now()
    try {
      const { rpc } = this.#chain
      const now = performance.now()
      if (![...this.#tracked.values()].some(({ addedAt }) => now - addedAt > EXPIRY_AFTER_MS)) return
      const finalized = await rpc.finalizedHeight()
      const late = this.#signaturesOf(
        (one) => isLate(one, finalized) && (one.doubt?.againAt ?? 0) <= now,
      ).slice(0, STATUSES)
      if (late.length === 0) return
      const statuses = await rpc.statuses(late, { history: true }).catch((error) => {
        if (error instanceof HistoryMissing) return { value: [] }
        throw error
      })
      // A status tells neither what the list does nor what another node does: what is to be final is examined.
      const isEnough = ({ end }: Ending) => end !== "confirmed" || this.#commitment === "confirmed"
      const found = this.#endings(late, statuses.value).filter(isEnough)
      await this.#settle(found)
      const known = new Set(found.map(({ signature }) => signature))
      const unknown = late.flatMap((signature) =>
        known.has(signature) ? [] : (this.#tracked.get(signature) ?? []),
      )
      for (const [, own] of Map.groupBy(unknown, (one) => one.workspaceId))
        await this.#examine(own, finalized)
    } catch (error) {
      logger.debug({ err: error }, "could not check whether transactions have expired")
    }
    this.#tell()
  }

  async #examine(late: Tracked[], asOf: { slot: number }): Promise<void> {
    const verdicts = await examine(this.#chain, this.#kinds, { late, asOf })
    const endings: Ending[] = []
    for (const verdict of verdicts) {
      if (verdict.end === "doubt") await this.#noteDoubt(verdict)
      else if (verdict.end === "confirmed" && !verdict.isFinal && this.#commitment === "finalized")
        await this.#noteDoubt({
          ...verdict,
          reason: "one node alone tells that it has landed",
          isPassing: false,
        })
      else endings.push(verdict)
    }
    await this.#settle(endings)
  }

  async #settle(endings: readonly Ending[]): Promise<void> {
    const wireOf = (signature: string) => this.#tracked.get(signature)?.wire ?? null
    const sure = await sureEndings(this.#chain, endings, { commitment: this.#commitment, wireOf })
    const settled = new Set(sure.map(({ signature }) => signature))
    for (const { signature } of endings) if (!settled.has(signature)) this.#lookAgain(signature)
    await this.#settling.settle(sure)
  }

  #lookAgain(signature: string): void {
    const tracked = this.#tracked.get(signature)
    if (tracked) tracked.landedUntil = performance.now() + LANDED_AGAIN_MS
  }

  async #noteDoubt({
    signature,
    workspaceId,
    reason,
    isPassing,
  }: {
    signature: string
    workspaceId: string
    reason: string
    isPassing: boolean
  }) {
    const tracked = this.#tracked.get(signature)
    if (!tracked) return
    const times = (tracked.doubt?.times ?? 0) + 1
    const isNews = tracked.doubt?.reason !== reason
    const pause = isPassing ? FIRST_DOUBT_MS : Math.min(FIRST_DOUBT_MS * 2 ** (times - 1), LONGEST_DOUBT_MS)
    tracked.doubt = { reason, times, againAt: performance.now() + pause }
    if (!isNews) return
    logger.warn(
      { mode: this.#chain.mode, workspaceId, signature, reason },
      "nobody can say whether a transaction has landed; its operations wait. `vouch ledger resolve` decides it",
    )
    await sql`update transactions set doubt = ${reason} where signature = ${signature} and status = 'saved'`
  }
}
