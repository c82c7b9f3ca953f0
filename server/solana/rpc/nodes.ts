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

/** How long nodes that lag behind are waited for, and the pause between two looks, in milliseconds. */
const BEHIND_MS = 3000
const BEHIND_PAUSE_MS = 200
/** How long a question is asked again of nodes that fail, or are left alone for a moment, in milliseconds. */
const PERSIST_MS = 1500
/** The same where nobody waits for the answer, and many have to come one after the other for any to be of use. */
const PERSIST_LONG_MS = 8000
/** The pause before a node that is well, and refuses a question, is asked it again. */
const REFUSED_PAUSE_MS = 200
/** How often nodes are asked what they can do, and how soon again those that did not say, in milliseconds. */
const LEARN_EVERY_MS = 60 * 60_000
const LEARN_AGAIN_MS = 60_000
export type RpcOptions = {
  /** Where to ask, in the order of preference. */
  urls: readonly string[]
  /** Where to send transactions besides. */
  sendUrls: readonly string[]
  callsPerSecond: number
  /** Told of each node's genesis hash; throws WrongChain where it is not that of this chain. */
  admit: (genesisHash: string) => Promise<void>
}

/** What a node is asked. It may be asked again, or another one. */
export type Question<T> = (connection: Connection, node: RpcNode) => Promise<T>

/** Whether only nodes that keep history are asked, whose part of the budget pays, and whether one node alone may answer. */
export type AskOptions = {
  needsHistory: boolean
  purpose: Exclude<Purpose, "sending" | "resending">
  /** Asks again for longer. */
  persists?: boolean
  only?: RpcNode | null
}

/** The nodes of one chain: who is asked, and again, and who is told of a transaction. */
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

  /** Those that are asked, the ones that are well first. */
  get readers(): readonly RpcNode[] {
    const ailing = (node: RpcNode) => (node.rest_ms > 0 || node.trouble !== null ? 1 : 0)
    return this.#readers.toSorted((one, other) => ailing(one) - ailing(other))
  }

  /** The highest slot that a node has answered for; 0 while none has. */
  get slot(): number {
    return Math.max(...this.#readers.map(({ highestSlot }) => highestSlot))
  }

  /** How long no node has told of a higher slot, in milliseconds. */
  get slotAge_ms(): number {
    return performance.now() - Math.max(...this.#readers.map(({ slotAt }) => slotAt))
  }

  /** What is wrong with nodes, in a few words each: `host cannot be reached`. */
  get troubles(): string[] {
    return this.#readers.flatMap(({ name, trouble, lacksHistory }) => [
      ...(trouble === null ? [] : [`${name} ${trouble}`]),
      ...(lacksHistory ? [`${name} keeps no history`] : []),
    ])
  }

  /** What nodes can do, in their order; null of one that has not told. */
  get capabilities(): (Capabilities | null)[] {
    return this.#readers.map(({ capabilities }) => capabilities)
  }

  /** Asks each node what it can do, once an hour: it may be another one by then. `address` is any that has transactions. */
  async learnCapabilities(address: PublicKey): Promise<void> {
    if (performance.now() - this.#learntAt < LEARN_EVERY_MS) return
    this.#learntAt = performance.now()
    const learnt = await Promise.allSettled(this.#readers.map((node) => node.learnCapabilities(address)))
    if (learnt.some(({ status }) => status === "rejected")) this.#learntAt += LEARN_AGAIN_MS - LEARN_EVERY_MS
    if (this.#readers.every(({ capabilities }) => capabilities?.keeps_history === false))
      logger.warn(
        { nodes: this.#readers.map(({ name }) => name) },
        "no node keeps history: should a transaction expire, nobody can say whether it has landed",
      )
  }

  /**
   * Has every node that is well tell its genesis hash anew. Rejects where one is of another chain; one that does not answer
   * tells it before it is asked anything else.
   */
  async identify({ persists = false } = {}): Promise<void> {
    const awake = this.#readers.filter(({ rest_ms }) => rest_ms === 0)
    const told = await Promise.allSettled(awake.map((node) => node.identifyAnew()))
    const wrong = told.find((one) => one.status === "rejected" && one.reason instanceof WrongChain)
    if (wrong?.status === "rejected") throw wrong.reason
    // Whoever did not answer tells it before it answers anything else.
    if (told.every(({ status }) => status === "rejected"))
      await this.ask((connection) => connection.getGenesisHash(), {
        needsHistory: false,
        purpose: "settling",
        persists,
      })
  }

  /**
   * Sends a transaction to every node, and does not wait for them: whether it lands, the chain says. Preflight would run
   * it on one node's view.
   */
  send(wire: Buffer): void {
    for (const node of this.#toSend()) node.send(wire, "sending")
  }

  /**
   * Sends it again to the nodes whose budget has room for that now. It waits in no line: what is not sent now is sent
   * at a later attempt. Returns whether any node took it.
   */
  resend(wire: Buffer): boolean {
    const nodes = this.#toSend().filter((node) => node.mayResend())
    for (const node of nodes) node.send(wire, "resending")
    return nodes.length > 0
  }

  /** Those that do not rest, or all if every one rests. */
  #toSend(): readonly RpcNode[] {
    const awake = this.#senders.filter(({ sendRest_ms }) => sendRest_ms === 0)
    return awake.length > 0 ? awake : this.#senders
  }

  /** Asks one node after the other until one answers, and all of them again for a moment: a call that fails is no outage. */
  async ask<T>(
    question: Question<T>,
    { needsHistory, purpose, persists, only = null }: AskOptions,
  ): Promise<T> {
    const began = performance.now()
    const persist_ms = persists ? PERSIST_LONG_MS : PERSIST_MS
    /** What each node said last. */
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
      !isWithoutHistory(error)
        ? []
        : error instanceof HistoryMissing
          ? error.message
          : `${name} keeps no history`,
    )
    if (missing.length > 0) return new HistoryMissing(missing.join("; "))
    const what = problems.map(([{ name }, error]) => `${name}: ${(error as Error).message}`)
    const cause = problems.at(-1)?.[1]
    return new RpcUnavailable(what.join("; ") || `no node is asked now: ${this.troubles.join("; ")}`, {
      cause,
    })
  }
}

/** How long to wait until nodes are asked again, in milliseconds. Null when that is of no use, or has lasted long enough. */
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

/** Those that rest are asked when no other is left, and so is, for history, what has said that it keeps none. */
function toAsk(nodes: readonly RpcNode[], needsHistory: boolean): RpcNode[] {
  const awake = nodes.filter(({ rest_ms }) => rest_ms === 0)
  const able = awake.filter(({ lacksHistory }) => !needsHistory || !lacksHistory)
  return able.length > 0 ? able : awake
}
