import { background as sql } from "#db/client.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import type { Mode } from "#shared/mode.ts"
import type { Verdict } from "./evidence.ts"

/** Workspaces examined at the same time, so that one with slow evidence delays no other. */
const AT_ONCE = 4

/**
 * Examines the outcome of transactions, one workspace at a time each, in the background. The workspace examined longest
 * ago goes first. One whose examination fails is retried with growing pauses.
 */
export class Examinations<One extends { workspaceId: string }> {
  readonly #mode: Mode
  readonly #examine: (own: One[]) => Promise<void>
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #failing = new Backoff({ firstMs: 1000, longestMs: 10_000 })
  /** When workspaces were last examined, of those that needed it at the last call. */
  #examinedAt = new Map<string, number>()

  constructor(mode: Mode, examine: (own: One[]) => Promise<void>) {
    this.#mode = mode
    this.#examine = examine
  }

  /** Starts as many examinations as may run at once. */
  begin(late: readonly One[]): void {
    const byWorkspace = Map.groupBy(late, ({ workspaceId }) => workspaceId)
    const lastAt = (id: string) => this.#examinedAt.get(id) ?? 0
    this.#examinedAt = new Map([...byWorkspace.keys(), ...this.#underWay.keys()].map((id) => [id, lastAt(id)]))
    const waiting = [...byWorkspace].filter(([id]) => !this.#underWay.has(id) && !this.#failing.isHeld(id))
    waiting.sort(([one], [other]) => lastAt(one) - lastAt(other))
    for (const [id, own] of waiting.slice(0, Math.max(0, AT_ONCE - this.#underWay.size))) {
      this.#examinedAt.set(id, performance.now())
      const done = this.#examine(own)
        .then(
          () => this.#failing.succeeded(id),
          (error) => this.#noteFailure(id, error),
        )
        .finally(() => this.#underWay.delete(id))
      this.#underWay.set(id, done)
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  #noteFailure(workspaceId: string, error: unknown): void {
    const about = { err: error, mode: this.#mode, workspaceId }
    if (this.#failing.times(workspaceId) === 0)
      logger.warn(about, "could not find the outcome of transactions; trying again")
    this.#failing.failed(workspaceId)
  }
}

/** No node can say whether a transaction landed. It is checked again, with growing pauses. */
export type Doubt = { reason: string; times: number; againAt: number }

/** The first and the longest pause between two checks, in milliseconds, and the longest while nodes fail to answer. */
const FIRST_MS = 2000
const LONGEST_MS = 60_000
const LONGEST_PASSING_MS = 10_000

/** A doubt that an earlier process had noted. It is checked again at once. */
export const doubtBefore = (reason: string): Doubt => ({ reason, times: 0, againAt: 0 })

/** Records a doubt on the transaction, and logs it when it is new. */
export async function noteDoubt(
  mode: Mode,
  before: Doubt | null,
  { signature, workspaceId, reason, isPassing }: Omit<Extract<Verdict, { end: "doubt" }>, "end">,
): Promise<Doubt> {
  const times = (before?.times ?? 0) + 1
  const longest = isPassing ? LONGEST_PASSING_MS : LONGEST_MS
  const pause = Math.min(FIRST_MS * 2 ** (times - 1), longest)
  // A doubt from before a restart is logged once, by the process that takes it over.
  if (times === 1 || before?.reason !== reason) {
    logger.warn(
      { mode, workspaceId, signature, reason },
      "no node can say whether a transaction has landed; its operations wait. `vouch ledger resolve` decides it",
    )
    await sql`update transactions set doubt = ${reason} where signature = ${signature} and status = 'saved'`
  }
  return { reason, times, againAt: performance.now() + pause }
}
