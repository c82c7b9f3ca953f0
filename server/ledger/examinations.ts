import { logger } from "#server/lib/log.ts"
import type { Mode } from "#shared/mode.ts"
import { Backoff } from "./backoff.ts"

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

  /** Starts as many examinations as there is room for. */
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

  /** Resolves when no examination is running. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  #noteFailure(workspaceId: string, error: unknown): void {
    if (this.#failing.times(workspaceId) === 0)
      logger.warn(
        { err: error, mode: this.#mode, workspaceId },
        "could not find the outcome of transactions; trying again",
      )
    this.#failing.failed(workspaceId)
  }
}
