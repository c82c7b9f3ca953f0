import type { Connection, PublicKey } from "@solana/web3.js"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import type { Purpose } from "./budget.ts"
import type { Capabilities } from "./capabilities.ts"
import {
  HistoryMissing,
  isBehind,
  isOfTheNode,
  isRefusal,
  isWithoutHistory,
  RpcUnavailable,
  WrongChain,
} from "./errors.ts"
import { RpcMetrics } from "./metrics.ts"
import { RpcNode } from "./node.ts"
import { Slots } from "./slots.ts"

/** How long to wait for nodes that lag, and the pause between two tries, in milliseconds. */
const BEHIND_MS = 3000
const BEHIND_PAUSE_MS = 200
/** How long a call is repeated on nodes that fail or rest for a moment, in milliseconds. */
const PERSIST_MS = 1500
/** The same if no request waits and many answers in a row are needed. */
const PERSIST_LONG_MS = 8000
/** The pause before a call is repeated on a healthy node that refused it. */
const REFUSED_PAUSE_MS = 200
/** How often the capabilities of nodes are read, and how soon after a failure, in milliseconds. */
const LEARN_EVERY_MS = 60 * 60_000
const LEARN_AGAIN_MS = 60_000
export type RpcOptions = {
  /** Addresses for reading, in order of preference. */
  urls: readonly string[]
  /** Additional addresses for sending. */
  sendUrls: readonly string[]
  callsPerSecond: number
  /** Called with each node's genesis hash; throws WrongChain if it is not this chain's. */
  admit: (genesisHash: string) => Promise<void>
}

/** A call to a node. It may be repeated, also on another node. */
export type Question<T> = (connection: Connection, node: RpcNode) => Promise<T>

/** Whether only nodes with history may answer, which purpose pays for the call, and whether only one node may answer. */
export type AskOptions = {
  needsHistory: boolean
  purpose: Exclude<Purpose, "sending" | "resending">
  /** Repeats the call for longer. */
  persists?: boolean
  only?: RpcNode | null
}

/** The nodes of one chain: chooses which to call, repeats calls, and sends transactions to all. */
export class RpcNodes {
  readonly #readers: readonly RpcNode[]
  readonly #senders: readonly RpcNode[]
  #learntAt = Number.NEGATIVE_INFINITY
  readonly metrics = new RpcMetrics()

  constructor({ urls, sendUrls, callsPerSecond, admit }: RpcOptions) {
    const slots = new Slots()
    const node = (url: string) => new RpcNode({ url, callsPerSecond, metrics: this.metrics, slots, admit })
    this.#readers = urls.map(node)
    this.#senders = [...this.#readers, ...sendUrls.map(node)]
  }

  /** The nodes for reading, healthy ones first. */
  get readers(): readonly RpcNode[] {
    const unhealthiness = (node: RpcNode) => (node.rest_ms > 0 || node.trouble !== null ? 1 : 0)
    return this.#readers.toSorted((one, other) => unhealthiness(one) - unhealthiness(other))
  }

  /** The highest slot that a node has reported; 0 before the first. */
  get slot(): number {
    return Math.max(...this.#readers.map(({ highestSlot }) => highestSlot))
  }

  /** How long no node has reported a higher slot, in milliseconds. */
  get slotAge_ms(): number {
    return performance.now() - Math.max(...this.#readers.map(({ slotAt }) => slotAt))
  }

  /** What is wrong with each node, in a few words: `host cannot be reached`. */
  get troubles(): string[] {
    return this.#readers.flatMap(({ name, trouble, lacksHistory }) => [
      ...(trouble === null ? [] : [`${name} ${trouble}`]),
      ...(lacksHistory ? [`${name} keeps no history`] : []),
    ])
  }

  /** Capabilities of the nodes, in order; null if a node has not reported them. */
  get capabilities(): (Capabilities | null)[] {
    return this.#readers.map(({ capabilities }) => capabilities)
  }

  /** Reads the capabilities of each node once an hour, as they may change. `address` is any address with transactions. */
  async learnCapabilities(address: PublicKey): Promise<void> {
    if (performance.now() - this.#learntAt < LEARN_EVERY_MS) return
    this.#learntAt = performance.now()
    const learnt = await Promise.allSettled(this.#readers.map((node) => node.learnCapabilities(address)))
    if (learnt.some(({ status }) => status === "rejected")) this.#learntAt += LEARN_AGAIN_MS - LEARN_EVERY_MS
    if (this.#readers.every(({ capabilities }) => capabilities?.keeps_history === false))
      logger.warn(
        { nodes: this.#readers.map(({ name }) => name) },
        "no node keeps history: if a transaction expires, no node can tell whether it landed",
      )
  }

  /** Reads each healthy node's genesis hash again, the others' before their next call. Rejects for another chain. */
  async identify({ persists = false } = {}): Promise<void> {
    const awake = this.#readers.filter(({ rest_ms }) => rest_ms === 0)
    const told = await Promise.allSettled(awake.map((node) => node.identifyAgain()))
    const wrong = told.find((one) => one.status === "rejected" && one.reason instanceof WrongChain)
    if (wrong?.status === "rejected") throw wrong.reason
    // A node that did not answer is checked before its next call.
    if (told.every(({ status }) => status === "rejected"))
      await this.ask((connection) => connection.getGenesisHash(), {
        needsHistory: false,
        purpose: "settling",
        persists,
      })
  }

  /** Sends to every node without waiting: the chain shows whether it lands. A preflight is one node's view. */
  send(wire: Buffer): void {
    for (const node of this.#toSend()) node.send(wire, "sending")
  }

  /** Sends again to the nodes whose budget allows it now, without waiting. Returns whether any node got it. */
  resend(wire: Buffer): boolean {
    const nodes = this.#toSend().filter((node) => node.mayResend())
    for (const node of nodes) node.send(wire, "resending")
    return nodes.length > 0
  }

  /** The nodes that do not rest, or all if every node rests. */
  #toSend(): readonly RpcNode[] {
    const awake = this.#senders.filter(({ sendRest_ms }) => sendRest_ms === 0)
    return awake.length > 0 ? awake : this.#senders
  }

  /** Calls one node after the other until one answers, and repeats that for a moment: one failure is no outage. */
  async ask<T>(question: Question<T>, { needsHistory, purpose, persists, only = null }: AskOptions): Promise<T> {
    const began = performance.now()
    const persist_ms = persists ? PERSIST_LONG_MS : PERSIST_MS
    /** The last error of each node. */
    const problems = new Map<RpcNode, unknown>()
    const asked = only === null ? this.#readers : [only]
    for (;;) {
      for (const node of toAsk(asked, needsHistory)) {
        try {
          return await node.ask((connection) => question(connection, node), purpose)
        } catch (error) {
          if (!isOfTheNode(error)) throw error
          problems.set(node, error)
        }
      }
      const elapsed = performance.now() - began
      const pause = pauseAfter([...problems.values()], { asked, elapsed, persist_ms })
      if (pause === null) throw this.#refusal([...problems])
      await sleep(pause)
    }
  }

  #refusal(problems: readonly [RpcNode, unknown][]): Error {
    const [wrong] = this.#readers.map((node) => node.wrong)
    if (wrong && this.#readers.every((node) => node.wrong)) return wrong
    const missing = problems.flatMap(([{ name }, error]) =>
      !isWithoutHistory(error) ? [] : error instanceof HistoryMissing ? error.message : `${name} keeps no history`,
    )
    if (missing.length > 0) return new HistoryMissing(missing.join("; "))
    const what = problems.map(([{ name }, error]) => `${name}: ${(error as Error).message}`)
    const cause = problems.at(-1)?.[1]
    return new RpcUnavailable(what.join("; ") || `no node can be used now: ${this.troubles.join("; ")}`, { cause })
  }
}

/** How long to wait before the next round, in milliseconds. Null if another round is useless or the time is up. */
function pauseAfter(
  problems: readonly unknown[],
  { asked, elapsed, persist_ms }: { asked: readonly RpcNode[]; elapsed: number; persist_ms: number },
): number | null {
  if (problems.some(isBehind) && elapsed < BEHIND_MS) return BEHIND_PAUSE_MS
  if (problems.length > 0 && problems.every(isWithoutHistory)) return null
  const rest_ms = Math.min(...asked.map((node) => node.rest_ms))
  const pause_ms = Math.max(rest_ms, problems.some(isRefusal) ? REFUSED_PAUSE_MS : 0)
  return elapsed + pause_ms < persist_ms ? pause_ms : null
}

/** Nodes that rest come last, as do, for history, nodes that keep none. */
function toAsk(nodes: readonly RpcNode[], needsHistory: boolean): RpcNode[] {
  const awake = nodes.filter(({ rest_ms }) => rest_ms === 0)
  const able = awake.filter(({ lacksHistory }) => !needsHistory || !lacksHistory)
  return able.length > 0 ? able : awake
}
