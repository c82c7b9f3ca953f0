import type { TransactionError } from "@solana/web3.js"
import { isDatabaseUnavailable, isLocked } from "#db/client.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Operations } from "./definition.ts"
import { areFinal, askStatuses, hasFailed, surelyFinal } from "./quorum.ts"
import { settleConfirmed, settleExpired, settleFailed } from "./settle.ts"

/**
 * When a transaction is settled (VOUCH_COMMITMENT): once two thirds of the stake have voted for its slot, or once it is
 * final.
 */
export type SettlingCommitment = "confirmed" | "finalized"

/** The outcome of a workspace's transaction. */
export type Ending = { signature: string; workspaceId: string } & (
  | { end: "confirmed"; slot: number; isFinal: boolean }
  | { end: "failed"; slot: number; error: TransactionError }
  | { end: "expired" }
)

type Options = { commitment: SettlingCommitment; wireOf: (signature: string) => Buffer | null }

/**
 * Outcomes certain enough to settle; the others are checked again. A failed transaction's operations are signed again,
 * and under commitment `finalized` clients are notified of something that cannot be undone, so both take more than one
 * node's answer. A confirmed transaction is followed until it is final (`finality.ts`).
 */
export async function sureEndings(
  chain: Chain,
  endings: readonly Ending[],
  { commitment, wireOf }: Options,
): Promise<Ending[]> {
  const landed = commitment === "finalized" ? await landedForGood(chain, endings, wireOf) : null
  const sure: Ending[] = []
  for (const ending of endings) {
    if (ending.end === "failed" && !(await hasFailed(chain, ending.signature))) continue
    if (ending.end !== "confirmed" || landed === null) sure.push(ending)
    else if (ending.isFinal || landed.has(ending.signature)) sure.push({ ...ending, isFinal: true })
  }
  return sure
}

async function landedForGood(
  chain: Chain,
  endings: readonly Ending[],
  wireOf: Options["wireOf"],
): Promise<ReadonlySet<string>> {
  const landed = endings.flatMap((ending) => {
    const wire = wireOf(ending.signature)
    return ending.end === "confirmed" && !ending.isFinal && wire ? { ...ending, wire } : []
  })
  if (landed.length === 0) return new Set()
  try {
    const told = await askStatuses(
      chain.rpc,
      landed.map(({ signature }) => signature),
    )
    return await surelyFinal(chain, landed.map((one, i) => ({ ...one, ...told[i]! })).filter(areFinal))
  } catch (error) {
    if (!isOfTheNodes(error)) throw error
    return new Set()
  }
}

type Confirmed = Extract<Ending, { end: "confirmed" }>

/**
 * Workspaces that are settled separately at the same time: each may wait for a lock and holds a connection while it
 * does.
 */
const APART = 2

/**
 * Settles transactions that have ended, all in one commit if possible. Otherwise each workspace is settled separately,
 * and within it each transaction. One that cannot be settled is retried later, and one customer's locked rows delay
 * only that customer.
 */
export class Settling {
  readonly #kinds: Operations
  readonly #onSettled: (signature: string) => void
  /** By signature: what went wrong may take long to fix. */
  readonly #failing = new Backoff({ firstMs: 250, longestMs: 30_000 })
  /** By workspace: a lock on its rows is released soon, or the database ends it. */
  readonly #locked = new Backoff({ firstMs: 250, longestMs: 1000 })
  /** Signatures whose last attempt to settle failed, by workspace. */
  readonly #troubled = new Map<string, Set<string>>()
  readonly #waiting = new Map<string, Ending[]>()
  readonly #apart = new Map<string, Promise<void>>()

  /** Calls `onSettled` with each settled transaction. */
  constructor(kinds: Operations, onSettled: (signature: string) => void) {
    this.#kinds = kinds
    this.#onSettled = onSettled
  }

  /** Whether its status need not be read now. */
  isHeld({ signature, workspaceId }: Pick<Ending, "signature" | "workspaceId">): boolean {
    return this.#failing.isHeld(signature) || this.#locked.isHeld(workspaceId)
  }

  /** How many could not be settled at the last attempt, not counting locked ones. */
  get failing(): number {
    return this.#failing.size
  }

  /** How many of a workspace's transactions could not be settled at the last attempt. */
  unsettledOf(workspaceId: string): number {
    return this.#troubled.get(workspaceId)?.size ?? 0
  }

  /**
   * Settles what can be settled at once; separate attempts continue after it returns. Throws if the database is
   * unreachable; nothing is lost.
   */
  async settle(endings: readonly Ending[]): Promise<void> {
    const ready = endings.filter((one) => !this.isHeld(one))
    const [troubled, others] = partition(ready, ({ workspaceId }) => this.#troubled.has(workspaceId))
    const failed = await this.#settleTogether(others)
    for (const [workspaceId, own] of Map.groupBy([...troubled, ...failed], (one) => one.workspaceId)) {
      if (!this.#apart.has(workspaceId)) this.#waiting.set(workspaceId, own)
    }
    this.#goOnApart()
  }

  /** Resolves when nothing is being settled. */
  async end(): Promise<void> {
    this.#waiting.clear()
    await Promise.all(this.#apart.values())
  }

  /** Returns the workspaces that failed. */
  async #settleTogether(endings: readonly Ending[]): Promise<Ending[]> {
    const [confirmed, others] = partition(endings, isConfirmedEnding)
    const failed: Ending[] = []
    for (const some of [confirmed, ...others.map((one) => [one])]) {
      const isTroubled = some.length === 1 && this.#troubled.has(some[0]!.workspaceId)
      const error = isTroubled ? "settling its workspace separately" : await this.#attempt(some)
      if (error === null) continue
      if (isLost(error)) throw error
      for (const one of some) this.#note(one)
      failed.push(...some)
    }
    return failed
  }

  #goOnApart(): void {
    for (const [workspaceId, endings] of this.#waiting) {
      if (this.#apart.size >= APART) return
      this.#waiting.delete(workspaceId)
      const settled = this.#settleApart(workspaceId, endings)
        .catch((error) => logger.debug({ err: error }, "could not settle; retrying later"))
        .finally(() => {
          this.#apart.delete(workspaceId)
          this.#goOnApart()
        })
      this.#apart.set(workspaceId, settled)
    }
  }

  /** One workspace's transactions: together, or else one by one. After a lock timeout, all are retried later. */
  async #settleApart(workspaceId: string, endings: readonly Ending[]): Promise<void> {
    const [confirmed, others] = partition(endings, isConfirmedEnding)
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

  /** Returns the error, or null. */
  async #attempt(endings: readonly Ending[]): Promise<unknown> {
    const [first] = endings
    if (!first) return null
    try {
      if (first.end === "failed") await settleFailed(this.#kinds, first)
      else if (first.end === "expired") await settleExpired(first.signature)
      else await settleConfirmed(this.#kinds, endings as Confirmed[])
    } catch (error) {
      return error
    }
    for (const { signature, workspaceId } of endings) {
      this.#failing.succeeded(signature)
      const troubled = this.#troubled.get(workspaceId)
      troubled?.delete(signature)
      if (troubled?.size === 0) this.#troubled.delete(workspaceId)
      this.#onSettled(signature)
    }
    return null
  }

  #note({ signature, workspaceId }: Ending): void {
    const troubled = this.#troubled.get(workspaceId) ?? new Set()
    this.#troubled.set(workspaceId, troubled.add(signature))
  }

  #hold(ending: Ending, error: unknown): void {
    const { signature, workspaceId, end } = ending
    this.#note(ending)
    this.#failing.failed(signature)
    const times = this.#failing.times(signature)
    logger.warn({ err: error, workspaceId, signature, end, times }, "could not settle a transaction; retrying later")
  }
}

/** Whether the database could not be reached, so that the attempt itself was not at fault. */
const isLost = (error: unknown): boolean => isDatabaseUnavailable(error) && !isLocked(error)

const isConfirmedEnding = (ending: Ending): boolean => ending.end === "confirmed"

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}
