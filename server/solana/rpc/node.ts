import { Connection, type PublicKey } from "@solana/web3.js"
import { logger } from "#server/lib/log.ts"
import { readBounded } from "#server/lib/read-bounded.ts"
import { Budget, type Purpose } from "./budget.ts"
import { askCapabilities, type Capabilities } from "./capabilities.ts"
import { hasNoHistory, RpcUnavailable, WrongChain } from "./errors.ts"
import type { RpcMetrics } from "./metrics.ts"
import { Slots } from "./slots.ts"

const TIMEOUT_MS = 5000
/** Ten times what a hundred accounts or a thousand signatures take. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** How long a node is left alone after it failed twice in a row; then twice as long, but it is noticed when it is back. */
const FIRST_REST_MS = 200
const LONGEST_REST_MS = 3000
/** The same for one that is asked too much, and does not say for how long. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** How long one of another chain is left alone: whoever points it back waits no longer for it. */
const WRONG_REST_MS = 5000
/** The longest that a node is left alone because it says so. */
const LONGEST_RETRY_AFTER_MS = 60_000
/** How often its chain is looked at again, though nothing seems to have happened. */
const IDENTITY_EVERY_MS = 60_000
/** So many slots no node falls back while it runs: another one answers by now. */
const FALLEN_BACK = 1000

// As it is when this is loaded: Next replaces the global one by its own, which costs every call of the RPC.
const { fetch } = globalThis

export type NodeOptions = {
  url: string
  callsPerSecond: number
  metrics: RpcMetrics
  /** What all nodes of the chain have told of its slots. */
  slots: Slots
  /** Told of the genesis hash before the node is asked anything; throws WrongChain where it is another chain's. */
  admit: (genesisHash: string) => Promise<void>
}

type Question<T> = (connection: Connection) => Promise<T>

/** One address of a chain's JSON-RPC: how it is doing, and whether it may be asked. */
export class RpcNode {
  /** Without what may be secret of its address. */
  readonly name: string
  readonly #connections: Readonly<Record<Purpose, Connection>>
  readonly #budget: Budget
  readonly #metrics: RpcMetrics
  readonly #slots: Slots
  readonly #admit: NodeOptions["admit"]
  #identified: Promise<void> | null = null
  #identifiedAt = Number.NEGATIVE_INFINITY
  #failures = 0
  /** Until when it is left alone because it failed, and because it said so. */
  #failsUntil = Number.NEGATIVE_INFINITY
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** Until when nothing is sent to it, because it said so: providers limit that apart from reads. */
  #sendsPausedUntil = Number.NEGATIVE_INFINITY
  highestSlot = 0
  /** When that became known. */
  slotAt = Number.NEGATIVE_INFINITY
  /** Whether it has said that it keeps no history of transactions. */
  lacksHistory = false
  /** What it could do when it was last asked for that; null before. */
  capabilities: Capabilities | null = null
  /** Set while it is of another chain. */
  wrong: WrongChain | null = null
  /** Why it is not asked, in a few words; null while it answers. */
  trouble: string | null = null

  constructor({ url, callsPerSecond, metrics, slots, admit }: NodeOptions) {
    this.name = new URL(url).host
    this.#budget = new Budget(callsPerSecond)
    this.#metrics = metrics
    this.#slots = slots
    this.#admit = admit
    const connect = (purpose: Purpose) =>
      new Connection(url, {
        commitment: "confirmed",
        // Whoever asks decides where to ask next; a call that waits in a back-off of its own would only hold it up.
        disableRetryOnRateLimit: true,
        fetch: ((_url: string, init: RequestInit) => this.#call(url, init, purpose)) as never,
      })
    this.#connections = {
      settling: connect("settling"),
      reading: connect("reading"),
      sending: connect("sending"),
      resending: connect("resending"),
      background: connect("background"),
    }
  }

  /** For how many milliseconds it is left alone; 0 when it may be asked. */
  get rest_ms(): number {
    return Math.max(0, Math.max(this.#failsUntil, this.#pausedUntil) - performance.now())
  }

  /** The same for sending. */
  get sendRest_ms(): number {
    return Math.max(this.rest_ms, this.#sendsPausedUntil - performance.now())
  }

  /** Asks it, once its chain is known to be the right one. */
  ask<T>(question: Question<T>, purpose: Purpose): Promise<T> {
    return onceMoreIfCutOff(async () => {
      await this.#identify()
      return this.#ask(question, purpose)
    })
  }

  /** Whether its budget pays for bytes that are sent again, at once. Then it has paid. */
  mayResend(): boolean {
    return this.#budget.tryTurn("resending")
  }

  /** Sends a transaction, whatever chain the node belongs to: the bytes bind themselves to one. It waits for nothing. */
  send(wire: Buffer, purpose: "sending" | "resending"): void {
    const encoded = wire.toString("base64")
    const options = { skipPreflight: true, maxRetries: 0 }
    onceMoreIfCutOff(() =>
      this.#ask((connection) => connection.sendEncodedTransaction(encoded, options), purpose),
    ).catch((error) => logger.debug({ err: error, node: this.name }, "a transaction was not accepted"))
  }

  async #ask<T>(question: Question<T>, purpose: Purpose): Promise<T> {
    try {
      return await question(this.#connections[purpose])
    } catch (error) {
      this.lacksHistory ||= hasNoHistory(error)
      throw error
    }
  }

  /**
   * Notes as of which slot it answers. Rejects where it has fallen back so far that its chain may be another one, and where
   * it tells of a slot that cannot be.
   */
  async noteSlot(slot: number, connection: Connection): Promise<void> {
    const claim = this.#slots.weigh(slot)
    const isSound =
      claim === "plain" ||
      (claim === "surprising" && Slots.explains(await connection.getSlot("processed"), slot))
    // Another chain may be behind the same connection by now: it stands elsewhere.
    if (claim === "surprising") await this.identifyAnew()
    if (!isSound) {
      this.#noteFailure("tells of a slot that cannot be")
      throw new RpcUnavailable(`${this.name} tells of slot ${slot}, which cannot be`)
    }
    this.#slots.believe(slot)
    const before = this.highestSlot
    if (slot > before) this.slotAt = performance.now()
    this.highestSlot = Math.max(before, slot)
    if (slot + FALLEN_BACK >= before) return
    this.highestSlot = slot
    this.#forgetIdentity()
    throw new RpcUnavailable(`${this.name} fell back from slot ${before} to ${slot}`)
  }

  /** Asks what chain it belongs to, whenever it was last asked. */
  identifyAnew(): Promise<void> {
    this.#forgetIdentity()
    return onceMoreIfCutOff(() => this.#identify())
  }

  /** Asks what it can do. Rejects where it does not answer, and what was known stays. */
  async learnCapabilities(address: PublicKey): Promise<void> {
    this.capabilities = await this.ask((connection) => askCapabilities(connection, address), "background")
    this.lacksHistory = !this.capabilities.keeps_history
  }

  #forgetIdentity(): void {
    this.#identified = null
  }

  /** Another chain may be behind the same address after every interruption. */
  #identify(): Promise<void> {
    if (performance.now() - this.#identifiedAt > IDENTITY_EVERY_MS) this.#forgetIdentity()
    if (this.#identified === null) {
      this.#identifiedAt = performance.now()
      // The next caller waits for the same answer.
      const identified = this.#ask((connection) => connection.getGenesisHash(), "settling")
        .then(this.#admit)
        .then(() => {
          this.wrong = null
        })
        .catch((error) => {
          if (this.#identified === identified) this.#forgetIdentity()
          if (error instanceof WrongChain) {
            this.wrong = error
            this.#rest("belongs to another chain", WRONG_REST_MS)
          }
          throw error
        })
      this.#identified = identified
    }
    return this.#identified
  }

  async #call(url: string, init: RequestInit, purpose: Purpose): Promise<Response> {
    if (purpose !== "resending") await this.#budget.turn(purpose)
    const method = methodOf(init.body)
    const began = performance.now()
    let failed = true
    try {
      // A redirect may lead to another chain.
      const options = { ...init, redirect: "error" as const, signal: AbortSignal.timeout(TIMEOUT_MS) }
      const response = await fetch(url, options)
      const { status, statusText, headers } = response
      // Read here: what breaks off in the middle, or never ends, is the node's failure.
      const body = await readBounded(response, MAX_ANSWER_BYTES)
      if (response.ok && !body.includes(idOf(init.body)))
        throw new RpcUnavailable(`${this.name} ${ANSWERS_ELSE}`)
      failed = !response.ok || isRefusal(body)
      this.#noteAnswer(response, purpose)
      return new Response(body, { status, statusText, headers })
    } catch (error) {
      this.#forgetIdentity()
      this.#noteFailure(nameOf(error))
      throw error
    } finally {
      this.#metrics.note(method, { failed, seconds: (performance.now() - began) / 1000 })
    }
  }

  #noteAnswer(response: Response, purpose: Purpose): void {
    if (response.status === 429) {
      this.trouble = "asks us to call less often"
      const until = performance.now() + this.#retryAfter(response)
      if (purpose === "sending" || purpose === "resending") this.#sendsPausedUntil = until
      else this.#pausedUntil = until
    } else if (response.status >= 500) {
      this.#noteFailure(`answers ${response.status}`)
    } else {
      this.#failures = 0
      this.#failsUntil = Number.NEGATIVE_INFINITY
      this.trouble = null
    }
  }

  /** In milliseconds. The header counts seconds or names a time, by the node's own clock (RFC 9110 §10.2.3). */
  #retryAfter(response: Response): number {
    const said = response.headers.get("retry-after")
    if (said === null) return this.#nextPause()
    const ms = /^\d+$/.test(said)
      ? Number(said) * 1000
      : Date.parse(said) - Date.parse(response.headers.get("date") ?? "")
    return Number.isFinite(ms)
      ? Math.min(Math.max(ms, FIRST_REST_MS), LONGEST_RETRY_AFTER_MS)
      : this.#nextPause()
  }

  #nextPause(): number {
    return Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS)
  }

  #noteFailure(what: string): void {
    this.trouble = what
    if (this.#failures++ > 0)
      this.#rest(what, Math.min(FIRST_REST_MS * 2 ** (this.#failures - 2), LONGEST_REST_MS))
  }

  #rest(what: string, ms: number): void {
    this.trouble = what
    this.#failsUntil = performance.now() + ms
  }
}

/** What Node's fetch says of a connection that ended under a request (https://undici.nodejs.org/#/docs/api/Errors). */
const CUT_OFF = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

/** Every question may be asked twice: nothing but sending changes anything, and that lands once. */
const onceMoreIfCutOff = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((error) => {
    if (CUT_OFF.has(causeOf(error))) return ask()
    throw error
  })

const causeOf = (error: unknown): string => (error as { cause?: { code?: string } } | null)?.cause?.code ?? ""

/** jayson writes the method first. */
const methodOf = (body: unknown): string =>
  /"method":"(\w+)"/.exec(String(body).slice(0, 200))?.[1] ?? "unknown"

const ANSWERS_ELSE = "answers something else than it was asked"

/** The id of a call, a random one, as its answer has it: the answer to another call, as from a proxy that mixes them up, has not. */
const idOf = (body: unknown): string => /"id":("[^"]*"|\d+)}?$/.exec(String(body).slice(-60))?.[1] ?? ""

/** Whether a node refused a call. One that is behind says so, and is asked again: nothing is wrong with it. */
const isRefusal = (body: Buffer): boolean => body.includes('"error":{') && !body.includes("-32016")

/** What went wrong, without the address: it may hold a key. */
const nameOf = (error: unknown): string =>
  error instanceof RpcUnavailable
    ? ANSWERS_ELSE
    : (error as Error).name === "TimeoutError"
      ? "does not answer"
      : causeOf(error) || "cannot be reached"
