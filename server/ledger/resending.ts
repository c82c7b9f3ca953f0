import { LRUCache } from "lru-cache"
import type { RpcNodes } from "#server/solana/rpc/nodes.ts"

/** The shortest and the longest pause between two sends of the same bytes, in milliseconds. It grows with their age. */
const LEAST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 8000
const PAUSES_PER_AGE = 8
/** The most transactions that are remembered, and for how long: longer than a blockhash is valid. */
const MOST = 50_000
const REMEMBERED_MS = 10 * 60_000

type Sent = { firstAt: number; lastAt: number }
type Candidate = { signature: string; workspaceId: string; wire: Buffer }

/** Sends the same bytes again while they may land: less often as they grow old, and within the nodes' rate limits. */
export class Resending {
  readonly #nodes: RpcNodes
  readonly #sent = new LRUCache<string, Sent>({ max: MOST, ttl: REMEMBERED_MS })

  constructor(nodes: RpcNodes) {
    this.#nodes = nodes
  }

  /** Notes the first send of bytes, by this worker or by the one that saved them. */
  noteSent(signature: string): void {
    const now = performance.now()
    this.#sent.set(signature, { firstAt: now, lastAt: now })
  }

  forget(signature: string): void {
    this.#sent.delete(signature)
  }

  /** Sends those whose pause is over. Workspaces take turns; within one, the bytes that waited longest go first. */
  resend(candidates: readonly Candidate[]): void {
    const now = performance.now()
    const due = candidates.filter(({ signature }) => this.#isDue(signature, now))
    const byWorkspace = Map.groupBy(due, ({ workspaceId }) => workspaceId)
    const ranked = [...byWorkspace.values()].flatMap((own) =>
      own
        .toSorted((one, other) => this.#lastAt(one) - this.#lastAt(other))
        .map((candidate, rank) => ({ candidate, rank })),
    )
    ranked.sort((one, other) => one.rank - other.rank || this.#lastAt(one.candidate) - this.#lastAt(other.candidate))
    for (const { candidate } of ranked) {
      if (!this.#nodes.resend(candidate.wire)) return
      this.#sent.set(candidate.signature, {
        firstAt: this.#sent.peek(candidate.signature)?.firstAt ?? now,
        lastAt: now,
      })
    }
  }

  #lastAt({ signature }: Candidate): number {
    return this.#sent.peek(signature)?.lastAt ?? 0
  }

  #isDue(signature: string, now: number): boolean {
    const sent = this.#sent.peek(signature)
    if (!sent) return true
    const pause = Math.max(LEAST_PAUSE_MS, (now - sent.firstAt) / PAUSES_PER_AGE)
    return now - sent.lastAt >= Math.min(pause, LONGEST_PAUSE_MS)
  }
}
