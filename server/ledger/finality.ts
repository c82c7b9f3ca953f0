import type { SignatureStatus } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Operations } from "./definition.ts"
import { examine, isLate, type Sought } from "./evidence.ts"
import { Examinations } from "./examinations.ts"
import {
  areReportedFinal,
  hasFailed,
  isFinal,
  provenFinal,
  type ReportedStatuses,
  readStatuses,
  STATUSES,
} from "./quorum.ts"
import { Resending } from "./resending.ts"
import { isLateSince, readFollowed } from "./save.ts"
import { type Final, settleFinalized, settleVanished } from "./settle.ts"

/** Slots until a slot is finalized, unless the cluster is delayed (32 votes: the depth of a vote's lockout). */
const FINAL_AFTER_SLOTS = 32
/** The shortest pause between two checks, in milliseconds. */
const LEAST_PAUSE_MS = 500

type Unfinal = Sought & { wire: Buffer; slot: number; isLate: boolean }
/** A transaction that can no longer land, as of a slot. */
type Late = Unfinal & { asOf: { slot: number } }

/**
 * Follows a chain's confirmed transactions until they are final. One that vanishes with its slot is sent again while
 * its blockhash is valid. After that, and once it is proven gone, its operations go back to the queue.
 */
export class Finality {
  readonly #chain: Chain
  readonly #kinds: Operations
  readonly #inDoubt = new Backoff({ firstMs: 2000, longestMs: 60_000 })
  /** Transactions whose outcome nodes failed to report. */
  readonly #unanswered = new Backoff({ firstMs: 2000, longestMs: 10_000 })
  readonly #resending: Resending
  readonly #examinations: Examinations<Late>
  readonly #failures: Examinations<Unfinal>
  /** Transactions that were confirmed long ago and are not final. */
  late = 0

  constructor(chain: Chain, { kinds }: { kinds: Operations }) {
    this.#chain = chain
    this.#kinds = kinds
    this.#resending = new Resending(chain.rpc.nodes)
    this.#examinations = new Examinations(chain.mode, (gone) => this.#examine(gone))
    this.#failures = new Examinations(chain.mode, async (failed) => {
      for (const { signature } of failed) await this.#redoFailed(signature)
    })
  }

  async end(): Promise<void> {
    await Promise.all([this.#examinations.end(), this.#failures.end()])
  }

  /** How long to wait until the next check, in milliseconds. */
  get pause(): number {
    return Math.max(LEAST_PAUSE_MS, this.#chain.slotMs * 5)
  }

  /** One check. Throws if the database or the chain cannot be reached; nothing is lost. */
  async tick(): Promise<void> {
    const held = [...this.#inDoubt.held, ...this.#unanswered.held]
    const { rpc } = this.#chain
    const upTo = rpc.nodes.slot - FINAL_AFTER_SLOTS
    const all = await readFollowed(sql`
      mode = ${this.#chain.mode} and status = 'confirmed' and finalized_at is null
      and (slot <= ${upTo} or ${isLateSince()}) and not signature = any(${held}) order by slot limit ${STATUSES}`)
    this.late = all.filter(({ isLate }) => isLate).length + held.length
    const due = all.filter(({ slot }) => slot <= upTo)
    if (due.length === 0) return
    const signatures = due.map(({ signature }) => signature)
    const reported = await readStatuses(rpc, signatures)
    const seen = due.map((one, i) => ({ ...one, ...reported[i]! }))
    const sure = await provenFinal(this.#chain, seen.filter(areReportedFinal))
    const final = seen.filter(({ signature }) => sure.has(signature)).map(finalOf)
    await settleFinalized(final)
    const unknown = seen.filter(({ statuses }) => statuses.every((status) => status === null))
    const failed = seen.filter(({ statuses }) => statuses.every(hasFinallyFailed))
    if (unknown.length > 0) await this.#lookFor(unknown)
    this.#failures.begin(failed)
    for (const one of seen)
      if (one.isLate && !areReportedFinal(one) && one.statuses.some(isFinal))
        this.#noteDoubt(one.signature, "one node reports it as final and another does not")
      else if (one.isLate && areReportedFinal(one) && !sure.has(one.signature))
        this.#noteDoubt(one.signature, "the node reports it as final but does not list it")
    if (final.length > 0) publish("settled")
  }

  /** Handles transactions of which no node returns a status: nodes no longer cache them, or they are gone. */
  async #lookFor(unknown: readonly Unfinal[]): Promise<void> {
    const { rpc } = this.#chain
    const asOf = await rpc.finalizedHeight()
    const canLand = unknown.filter((one) => !isLate(one, asOf))
    this.#resending.resend(canLand)
    const gone = unknown.filter((one) => isLate(one, asOf))
    this.#examinations.begin(gone.map((one) => ({ ...one, asOf })))
  }

  async #examine(late: Late[]): Promise<void> {
    const [{ asOf }] = late as [Late]
    const verdicts = await examine(this.#chain, this.#kinds, { late, asOf })
    const landed = verdicts.flatMap((verdict) => (verdict.end === "confirmed" && verdict.isFinal ? verdict : []))
    await settleFinalized(landed)
    for (const verdict of verdicts) {
      const { signature } = verdict
      if (verdict.end === "expired") await this.#redo(signature, "no history lists it")
      else if (verdict.end === "failed") await this.#redoFailed(signature)
      else if (verdict.end === "confirmed" && !verdict.isFinal)
        this.#noteDoubt(signature, "only one node reports it as final")
      else if (verdict.end === "doubt" && !verdict.isPassing) this.#noteDoubt(signature, verdict.reason)
      else if (verdict.end === "doubt") this.#unanswered.failed(signature)
    }
    if (landed.length > 0) publish("settled")
  }

  #noteDoubt(signature: string, reason: string): void {
    const about = { mode: this.#chain.mode, signature, reason }
    if (this.#inDoubt.times(signature) === 0)
      logger.warn(about, "no node can say whether a confirmed transaction is final; it is checked again")
    this.#inDoubt.failed(signature)
  }

  async #redoFailed(signature: string): Promise<void> {
    if (await hasFailed(this.#chain, signature)) await this.#redo(signature, "it landed again, finalized, and failed")
  }

  async #redo(signature: string, reason: string): Promise<void> {
    const operations = await settleVanished(signature)
    if (operations.length === 0) return
    const about = { mode: this.#chain.mode, signature, operations, reason }
    logger.warn(about, "a confirmed transaction has vanished from the chain; its operations are done again")
    publish("ledger")
  }
}

/** The transaction with its final slot, which may differ from the one in which it was confirmed. */
const finalOf = ({ signature, slot, statuses }: Unfinal & ReportedStatuses): Final => ({
  signature,
  slot: statuses[0]?.slot ?? slot,
})

const hasFinallyFailed = (status: SignatureStatus | null): boolean => isFinal(status) && status.err !== null
