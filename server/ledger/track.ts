import type { SignatureStatus } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { clock, secondsBetween } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import type { Address } from "#shared/address.ts"
import { countByWorkspace, type Load, stuckPayers } from "./capacity.ts"
import type { Operations } from "./definition.ts"
import { examine, isLate } from "./evidence.ts"
import { type Doubt, doubtBefore, Examinations, noteDoubt } from "./examinations.ts"
import { Outage } from "./outage.ts"
import { isConfirmed, STATUSES } from "./quorum.ts"
import { Resending } from "./resending.ts"
import { readFollowed, type Saved } from "./save.ts"
import { certainOutcomes, type Outcome, Settling, type SettlingCommitment } from "./settling.ts"

/** How often to search for transactions that another worker saved and no longer tracks. */
const TAKE_OVER_EVERY_MS = 1000
/** Age at which this worker takes over a transaction that it does not know. */
const TAKE_OVER_AFTER_SECONDS = 3
/** How often to compare with the finalized height, once something could have expired. */
const EXPIRY_EVERY_MS = 1000
/** How long a transaction is followed before it could have expired: no cluster has 150 blocks in less. */
const EXPIRY_AFTER_MS = 5000
/** How long the outcome of an expired transaction may stay unknown before health reports it. */
const OVERDUE_MS = 30_000
/** How long nodes may report the outcome of no transaction before health reports that. */
const UNANSWERED_MS = 10_000
/** How soon to check again a transaction that has landed, but not with enough certainty. */
const RECHECK_LANDED_MS = 1000
/** The same for a transaction that one node reports as failed and another does not. */
const RECHECK_FAILED_MS = 5000

/** From this many ended but unsettled transactions on, a workspace gets no more batches. */
const MAX_UNSETTLED = 8

type Tracked = Saved & {
  addedAt: number
  checkedAt: number
  /** When the finalized height first showed that it can no longer land; null while it can. */
  lateSince: number | null
  /** Until when not to ask again: it has landed, but not with enough certainty. */
  landedUntil: number
  doubt: Doubt | null
}

export type TrackerOptions = { kinds: Operations; commitment: SettlingCommitment }

/**
 * Follows a chain's saved transactions to their end: sends and resends the same bytes, and settles what is confirmed,
 * failed or expired. After an RPC error the outcome is *unknown*: nothing changes, and it is asked again.
 */
export class Tracker {
  readonly #chain: Chain
  readonly #kinds: Operations
  readonly #commitment: SettlingCommitment
  readonly #tracked = new Map<string, Tracked>()
  readonly #settling: Settling
  /** The highest slot known to contain a transaction. Answers of nodes that are behind it are not used. */
  settledSlot = 0
  #hasSettled = false
  #takenOverAt = Number.NEGATIVE_INFINITY
  readonly #resending: Resending
  readonly #examinations: Examinations<Tracked>
  readonly #failures: Examinations<Outcome>
  readonly #statusOutage: Outage
  readonly #heightOutage: Outage
  #finalized: { slot: number; height: number } | null = null
  #expiring: Promise<void> | null = null
  #expiryAt = Number.NEGATIVE_INFINITY

  constructor(chain: Chain, { kinds, commitment }: TrackerOptions) {
    this.#chain = chain
    this.#kinds = kinds
    this.#commitment = commitment
    this.#resending = new Resending(chain.rpc.nodes)
    this.#examinations = new Examinations(chain.mode, (late) => this.#examine(late))
    this.#failures = new Examinations(chain.mode, (failed) => this.#settle(failed))
    this.#statusOutage = new Outage({ mode: chain.mode, step: "statuses" })
    this.#heightOutage = new Outage({ mode: chain.mode, step: "expiry" })
    this.#settling = new Settling(kinds, (signature) => {
      this.#tracked.delete(signature)
      this.#resending.forget(signature)
      this.#hasSettled = true
    })
  }

  get size(): number {
    return this.#tracked.size
  }

  /** Fees of the transactions that may still land and that a key pays for. */
  feesOf(feePayer: Address): number {
    const own = [...this.#tracked.values()].filter((one) => one.feePayer === feePayer)
    return own.reduce((sum, { fee_lamports }) => sum + fee_lamports, 0)
  }

  /**
   * Only transactions that may still land use capacity. The others do not: they ended and could not be settled, they
   * can no longer land and that has to be proven, or a workspace's own fee payer holds them up.
   */
  get load(): Load {
    const stuck = this.stuckPayers
    const all = [...this.#tracked.values()]
    const takesPlace = (one: Tracked) =>
      one.doubt === null && one.lateSince === null && !this.#settling.isHeld(one) && !stuck.has(one.feePayer)
    return { underWay: countByWorkspace(all.filter(takesPlace)), all: countByWorkspace(all) }
  }

  get stuckPayers(): Set<Address> {
    return stuckPayers(this.#tracked.values(), { except: addressOf(this.#chain.feePayer.publicKey) })
  }

  /** Workspaces with many transactions to settle first. */
  get overloaded(): string[] {
    const workspaces = new Set([...this.#tracked.values()].map((one) => one.workspaceId))
    return [...workspaces].filter((id) => this.#settling.unsettledOf(id) >= MAX_UNSETTLED)
  }

  /** Transactions that ended and cannot be settled. The log names them. */
  get failing(): number {
    return this.#settling.failing
  }

  /** Transactions whose outcome no node can say. */
  get inDoubt(): number {
    return [...this.#tracked.values()].filter(isDoubted).length
  }

  /** Transactions that have been unable to land for long, and whose outcome is unknown without a noted doubt. */
  get overdue(): number {
    const since = performance.now() - OVERDUE_MS
    return [...this.#tracked.values()].filter(
      (one) => one.lateSince !== null && one.lateSince < since && one.doubt === null && !this.#settling.isHeld(one),
    ).length
  }

  get isUnanswered(): boolean {
    const lasts_ms = Math.max(this.#statusOutage.lasts_ms, this.#heightOutage.lasts_ms)
    return this.#tracked.size > 0 && lasts_ms > UNANSWERED_MS
  }

  /** Waits for running settlements. */
  async end(): Promise<void> {
    await this.#expiring
    await Promise.all([this.#examinations.end(), this.#failures.end()])
    await this.#settling.end()
  }

  /** Starts to follow a saved transaction, and sends it. */
  add(saved: Saved): void {
    this.#follow(saved, { addedAt: performance.now(), doubt: null })
    this.#chain.rpc.nodes.send(saved.wire)
  }

  #follow(saved: Saved, begun: Pick<Tracked, "addedAt" | "doubt">): void {
    this.#tracked.set(saved.signature, { ...saved, ...begun, checkedAt: 0, lateSince: null, landedUntil: 0 })
    this.#resending.noteSent(saved.signature)
  }

  /** One check of everything in flight. Throws if the database cannot be reached; nothing is lost. */
  async tick(): Promise<void> {
    this.#publish()
    if (performance.now() - this.#takenOverAt >= TAKE_OVER_EVERY_MS) await this.#takeOver()
    if (this.#tracked.size === 0) return
    const signatures = this.#signaturesToCheck()
    for (let from = 0; from < signatures.length; from += STATUSES) {
      await this.#readStatuses(signatures.slice(from, from + STATUSES))
    }
    this.#resend()
    // This may read a long history. What is in flight is followed in the meantime.
    if (performance.now() - this.#expiryAt >= EXPIRY_EVERY_MS)
      this.#expiring ??= this.#expire().finally(() => {
        this.#expiring = null
      })
  }

  /** Publishes what was settled since the last call. */
  #publish(): void {
    if (!this.#hasSettled) return
    this.#hasSettled = false
    publish("settled")
    publish("ledger")
  }

  /** Transactions that have not ended and pass a test. */
  #unended(test: (one: Tracked) => boolean): Tracked[] {
    return [...this.#tracked.values()].filter((one) => !this.#settling.isHeld(one) && test(one))
  }

  /** Signatures of all that may still land. Doubtful ones only fill up the last request, so they need no extra call. */
  #signaturesToCheck(): string[] {
    const now = performance.now()
    const unseen = this.#unended(({ landedUntil }) => landedUntil <= now)
    const [doubted, others] = [unseen.filter(isDoubted), unseen.filter((one) => !isDoubted(one))]
    doubted.sort((one, other) => one.checkedAt - other.checkedAt)
    const toCheck = [...others, ...doubted.slice(0, STATUSES - (others.length % STATUSES))]
    for (const one of toCheck) one.checkedAt = now
    return toCheck.map(({ signature }) => signature)
  }

  /** Sends again what can still land. For the rest, calls are kept for proving the outcome. */
  #resend(): void {
    const now = performance.now()
    const canLand = (one: Tracked) =>
      one.landedUntil <= now && (this.#finalized ? !isLate(one, this.#finalized) : now - one.addedAt < EXPIRY_AFTER_MS)
    this.#resending.resend(this.#unended(canLand))
  }

  /**
   * Takes over what a stopped worker saved. A live worker may track it too: settling is guarded. It is sent once the
   * finalized height is known, since it may have expired long ago.
   */
  async #takeOver(): Promise<void> {
    const now = clock.now()
    const found = await readFollowed(sql`
      mode = ${this.#chain.mode} and status = 'saved' and not signature = any(${[...this.#tracked.keys()]})
      order by created_at limit ${STATUSES}`)
    const addedAt = performance.now() - EXPIRY_AFTER_MS
    for (const { doubt, savedAt, ...saved } of found) {
      if (this.#takenOverAt >= 0 && secondsBetween(savedAt, now) < TAKE_OVER_AFTER_SECONDS) continue
      this.#follow(saved, { addedAt, doubt: doubt === null ? null : doubtBefore(doubt) })
    }
    this.#takenOverAt = performance.now()
  }

  async #readStatuses(signatures: string[]): Promise<void> {
    let statuses: (SignatureStatus | null)[]
    try {
      const { settling } = this.#chain.rpc
      statuses = (await settling.statuses(signatures, { since: this.settledSlot })).value
      this.#statusOutage.noteSuccess()
    } catch (error) {
      return this.#statusOutage.noteFailure(error)
    }
    const outcomes = this.#outcomes(signatures, statuses)
    await this.#settle(outcomes.filter(({ end }) => end === "confirmed"))
    // A failure takes more than one node. If another does not answer, that delays none of the others.
    this.#failures.begin(outcomes.filter(({ end }) => end === "failed"))
  }

  #outcomes(signatures: string[], statuses: (SignatureStatus | null)[]): Outcome[] {
    return statuses.flatMap((status, index): Outcome[] => {
      const tracked = this.#tracked.get(signatures[index]!)
      if (!tracked || !isConfirmed(status)) return []
      const { signature, workspaceId } = tracked
      const { slot, err } = status
      const isFinal = status.confirmationStatus === "finalized"
      this.settledSlot = Math.max(this.settledSlot, slot)
      // A failed transaction's operations would be signed again. If its slot vanished, the same bytes could still land
      // and succeed.
      if (!isFinal && (err !== null || this.#commitment === "finalized")) {
        this.#readAgain(signature)
        return []
      }
      return err === null
        ? // Finality takes more than one answer (`finality.ts`).
          [{ signature, workspaceId, end: "confirmed", slot, isFinal: false }]
        : [{ signature, workspaceId, end: "failed", slot, error: err }]
    })
  }

  /** Finds the transactions that can no longer land by the *finalized* height, and has their outcome examined. */
  async #expire(): Promise<void> {
    this.#expiryAt = performance.now()
    const now = performance.now()
    try {
      const isOld = ({ addedAt }: Tracked) => now - addedAt >= EXPIRY_AFTER_MS
      if (this.#heightOutage.lasts_ms === 0 && ![...this.#tracked.values()].some(isOld)) return
      const finalized = await this.#chain.rpc.finalizedHeight()
      this.#finalized = finalized
      for (const one of this.#tracked.values()) one.lateSince = isLate(one, finalized) ? (one.lateSince ?? now) : null
      const late = this.#unended((one) => one.lateSince !== null)
      this.#examinations.begin(late.filter(({ doubt }) => (doubt?.againAt ?? 0) <= now))
      this.#heightOutage.noteSuccess()
    } catch (error) {
      this.#heightOutage.noteFailure(error)
    }
  }

  /** A status that a node returns counts. A missing one proves nothing (`evidence.ts`). */
  async #examine(all: Tracked[]): Promise<void> {
    const asOf = this.#finalized!
    const late = all.slice(0, STATUSES)
    const signatures = late.map(({ signature }) => signature)
    const statuses = await this.#chain.rpc.settling.statuses(signatures, { history: true }).catch((error) => {
      if (error instanceof HistoryMissing) return { value: [] }
      throw error
    })
    // A status shows neither what the list contains nor what another node says, so what must be final is examined.
    const isEnough = ({ end }: Outcome) => end !== "confirmed" || this.#commitment === "confirmed"
    const found = this.#outcomes(signatures, statuses.value).filter(isEnough)
    await this.#settle(found)
    const known = new Set(found.map(({ signature }) => signature))
    const unknown = late.filter(({ signature }) => !known.has(signature) && this.#tracked.has(signature))
    if (unknown.length > 0) await this.#searchHistory(unknown, asOf)
  }

  async #searchHistory(late: Tracked[], asOf: { slot: number }): Promise<void> {
    const verdicts = await examine(this.#chain, this.#kinds, { late, asOf })
    const outcomes: Outcome[] = []
    for (const verdict of verdicts) {
      if (verdict.end === "doubt") await this.#noteDoubt(verdict)
      else if (verdict.end === "confirmed" && !verdict.isFinal && this.#commitment === "finalized")
        await this.#noteDoubt({ ...verdict, reason: "only one node reports that it landed", isPassing: false })
      else outcomes.push(verdict)
    }
    await this.#settle(outcomes)
  }

  async #settle(outcomes: readonly Outcome[]): Promise<void> {
    const wireOf = (signature: string) => this.#tracked.get(signature)?.wire ?? null
    const certain = await certainOutcomes(this.#chain, outcomes, { commitment: this.#commitment, wireOf })
    const settled = new Set(certain.map(({ signature }) => signature))
    for (const { signature, end } of outcomes)
      if (!settled.has(signature)) this.#readAgain(signature, end === "failed" ? RECHECK_FAILED_MS : undefined)
    await this.#settling.settle(certain)
    this.#publish()
  }

  #readAgain(signature: string, pause_ms = RECHECK_LANDED_MS): void {
    const tracked = this.#tracked.get(signature)
    if (tracked) tracked.landedUntil = performance.now() + pause_ms
  }

  async #noteDoubt(verdict: Parameters<typeof noteDoubt>[2]): Promise<void> {
    const tracked = this.#tracked.get(verdict.signature)
    if (tracked) tracked.doubt = await noteDoubt(this.#chain.mode, tracked.doubt, verdict)
  }
}

const isDoubted = ({ doubt }: Tracked): boolean => doubt !== null
