import type { TransactionError } from "@solana/web3.js"
import { isDatabaseUnavailable, isLocked } from "#db/client.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Operations } from "./definition.ts"
import { areReportedFinal, hasFailed, provenFinal, readStatuses } from "./quorum.ts"
import { settleConfirmed, settleExpired, settleFailed } from "./settle.ts"

/** When to settle (VOUCH_COMMITMENT): once two thirds of the stake have voted for the slot, or once it is final. */
export type SettlingCommitment = "confirmed" | "finalized"

export type Outcome = { signature: string; workspaceId: string } & (
  | { end: "confirmed"; slot: number; isFinal: boolean }
  | { end: "failed"; slot: number; error: TransactionError }
  | { end: "expired" }
)

type Options = { commitment: SettlingCommitment; wireOf: (signature: string) => Buffer | null }

/**
 * Outcomes certain enough to settle. A failed transaction's operations are signed again, and under commitment
 * `finalized` clients are notified of something that cannot be undone, so both take more than one node's answer.
 */
export async function certainOutcomes(
  chain: Chain,
  outcomes: readonly Outcome[],
  { commitment, wireOf }: Options,
): Promise<Outcome[]> {
  const landed = commitment === "finalized" ? await finalizedAmong(chain, outcomes, wireOf) : null
  const certain: Outcome[] = []
  for (const outcome of outcomes) {
    if (outcome.end === "failed" && !(await hasFailed(chain, outcome.signature))) continue
    if (outcome.end !== "confirmed" || landed === null) certain.push(outcome)
    else if (outcome.isFinal || landed.has(outcome.signature)) certain.push({ ...outcome, isFinal: true })
  }
  return certain
}

async function finalizedAmong(
  chain: Chain,
  outcomes: readonly Outcome[],
  wireOf: Options["wireOf"],
): Promise<ReadonlySet<string>> {
  const landed = outcomes.flatMap((outcome) => {
    const wire = wireOf(outcome.signature)
    return outcome.end === "confirmed" && !outcome.isFinal && wire ? { ...outcome, wire } : []
  })
  if (landed.length === 0) return new Set()
  try {
    const signatures = landed.map(({ signature }) => signature)
    const reported = await readStatuses(chain.rpc, signatures)
    return await provenFinal(chain, landed.map((one, i) => ({ ...one, ...reported[i]! })).filter(areReportedFinal))
  } catch (error) {
    if (!isOfTheNodes(error)) throw error
    return new Set()
  }
}

type Confirmed = Extract<Outcome, { end: "confirmed" }>

/** Workspaces settled separately at the same time. Each may hold a connection while it waits for a lock. */
const MAX_SEPARATE = 2

/**
 * Settles transactions that have ended, all in one commit if possible. Otherwise each workspace is settled separately,
 * and within it each transaction, so one customer's locked rows delay only that customer.
 */
export class Settling {
  readonly #kinds: Operations
  readonly #onSettled: (signature: string) => void
  /** Transactions that could not be settled, by signature. The cause may take long to fix. */
  readonly #failing = new Backoff({ firstMs: 250, longestMs: 30_000 })
  /** Workspaces whose rows were locked. A lock is released soon, or the database ends it. */
  readonly #locked = new Backoff({ firstMs: 250, longestMs: 1000 })
  /** Signatures whose last attempt to settle failed, by workspace. */
  readonly #unsettled = new Map<string, Set<string>>()
  readonly #waiting = new Map<string, Outcome[]>()
  readonly #separate = new Map<string, Promise<void>>()

  /** Calls `onSettled` with each settled transaction. */
  constructor(kinds: Operations, onSettled: (signature: string) => void) {
    this.#kinds = kinds
    this.#onSettled = onSettled
  }

  /** Whether a transaction's status need not be read now, because its next attempt to settle is still to come. */
  isHeld({ signature, workspaceId }: Pick<Outcome, "signature" | "workspaceId">): boolean {
    return this.#failing.isHeld(signature) || this.#locked.isHeld(workspaceId)
  }

  /** How many transactions could not be settled at the last attempt, not counting locked ones. */
  get failing(): number {
    return this.#failing.size
  }

  /** How many of a workspace's transactions could not be settled at the last attempt. */
  unsettledOf(workspaceId: string): number {
    return this.#unsettled.get(workspaceId)?.size ?? 0
  }

  /**
   * Settles what can be settled at once; separate attempts continue after it returns. Throws if the database is
   * unreachable; nothing is lost.
   */
  async settle(outcomes: readonly Outcome[]): Promise<void> {
    const ready = outcomes.filter((one) => !this.isHeld(one))
    const [unsettled, others] = partition(ready, ({ workspaceId }) => this.#unsettled.has(workspaceId))
    const failed = await this.#settleTogether(others)
    for (const [workspaceId, own] of Map.groupBy([...unsettled, ...failed], (one) => one.workspaceId)) {
      if (!this.#separate.has(workspaceId)) this.#waiting.set(workspaceId, own)
    }
    this.#startSeparate()
  }

  async end(): Promise<void> {
    this.#waiting.clear()
    await Promise.all(this.#separate.values())
  }

  async #settleTogether(outcomes: readonly Outcome[]): Promise<Outcome[]> {
    const [confirmed, others] = partition(outcomes, isConfirmedOutcome)
    const failed: Outcome[] = []
    for (const some of [confirmed, ...others.map((one) => [one])]) {
      const isUnsettled = some.length === 1 && this.#unsettled.has(some[0]!.workspaceId)
      const error = isUnsettled ? "settling its workspace separately" : await this.#attempt(some)
      if (error === null) continue
      if (isLost(error)) throw error
      for (const one of some) this.#noteUnsettled(one)
      failed.push(...some)
    }
    return failed
  }

  #startSeparate(): void {
    for (const [workspaceId, outcomes] of this.#waiting) {
      if (this.#separate.size >= MAX_SEPARATE) return
      this.#waiting.delete(workspaceId)
      const settled = this.#settleSeparately(workspaceId, outcomes)
        .catch((error) => logger.debug({ err: error }, "could not settle; retrying later"))
        .finally(() => {
          this.#separate.delete(workspaceId)
          this.#startSeparate()
        })
      this.#separate.set(workspaceId, settled)
    }
  }

  /** One workspace's transactions: together, or else one by one. After a lock timeout, all are retried later. */
  async #settleSeparately(workspaceId: string, outcomes: readonly Outcome[]): Promise<void> {
    const [confirmed, others] = partition(outcomes, isConfirmedOutcome)
    const together = confirmed.length > 1 ? await this.#attempt(confirmed) : "one"
    if (isLocked(together)) return this.#locked.failed(workspaceId)
    for (const one of [...(together === null ? [] : confirmed), ...others]) {
      const error = await this.#attempt([one])
      if (isLocked(error)) return this.#locked.failed(workspaceId)
      if (isLost(error)) throw error
      if (error !== null) this.#hold(one, error)
    }
    this.#locked.succeeded(workspaceId)
  }

  async #attempt(outcomes: readonly Outcome[]): Promise<unknown> {
    const [first] = outcomes
    if (!first) return null
    try {
      if (first.end === "failed") await settleFailed(this.#kinds, first)
      else if (first.end === "expired") await settleExpired(first.signature)
      else await settleConfirmed(this.#kinds, outcomes as Confirmed[])
    } catch (error) {
      return error
    }
    for (const { signature, workspaceId } of outcomes) {
      this.#failing.succeeded(signature)
      const unsettled = this.#unsettled.get(workspaceId)
      unsettled?.delete(signature)
      if (unsettled?.size === 0) this.#unsettled.delete(workspaceId)
      this.#onSettled(signature)
    }
    return null
  }

  #noteUnsettled({ signature, workspaceId }: Outcome): void {
    const unsettled = this.#unsettled.get(workspaceId) ?? new Set()
    this.#unsettled.set(workspaceId, unsettled.add(signature))
  }

  #hold(outcome: Outcome, error: unknown): void {
    const { signature, workspaceId, end } = outcome
    this.#noteUnsettled(outcome)
    this.#failing.failed(signature)
    const times = this.#failing.times(signature)
    logger.warn({ err: error, workspaceId, signature, end, times }, "could not settle a transaction; retrying later")
  }
}

/** Whether the database could not be reached, so that the attempt itself was not at fault. */
const isLost = (error: unknown): boolean => isDatabaseUnavailable(error) && !isLocked(error)

const isConfirmedOutcome = (outcome: Outcome): boolean => outcome.end === "confirmed"

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}
