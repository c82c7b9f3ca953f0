import { Connection, type PublicKey } from "@solana/web3.js"
import { logger } from "#server/lib/log.ts"
import { readBounded } from "#server/lib/read-bounded.ts"
import { Budget, type Purpose, purposes } from "./budget.ts"
import { askCapabilities, type Capabilities } from "./capabilities.ts"
import { hasNoHistory, RpcUnavailable, WrongChain } from "./errors.ts"
import type { RpcMetrics } from "./metrics.ts"
import { Slots } from "./slots.ts"

const TIMEOUT_MS = 5000
/** Ten times the size of a hundred accounts or a thousand signatures. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** How long a node rests after two failures in a row. The time doubles with each failure; recovery ends it. */
const FIRST_REST_MS = 200
const LONGEST_REST_MS = 3000
/** The same for a node that is overloaded and does not say for how long. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** How long a node of another chain rests. Once it is corrected, it is used again after this time. */
const WRONG_REST_MS = 5000
/** The longest rest that a node can request. */
const LONGEST_RETRY_AFTER_MS = 60_000
/** How often the node's chain is checked again without a reason. */
const IDENTITY_EVERY_MS = 60_000
/** No node falls back by so many slots while it runs: another node now answers at its address. */
const FALLEN_BACK = 1000

// Read at load time: Next replaces the global fetch by its own, which slows every RPC call.
const { fetch } = globalThis

export type NodeOptions = {
  url: string
  callsPerSecond: number
  metrics: RpcMetrics
  /** What all nodes of the chain have reported about its slots. */
  slots: Slots
  /** Called with the genesis hash before any other call; throws WrongChain if it belongs to another chain. */
  admit: (genesisHash: string) => Promise<void>
}

type Question<T> = (connection: Connection) => Promise<T>

/** One JSON-RPC address of a chain, with its health. */
export class RpcNode {
  /** The address without its secret parts. */
  readonly name: string
  readonly #connections: Readonly<Record<Purpose, Connection>>
  readonly #budget: Budget
  readonly #metrics: RpcMetrics
  readonly #slots: Slots
  readonly #admit: NodeOptions["admit"]
  #identified: Promise<void> | null = null
  #identifiedAt = Number.NEGATIVE_INFINITY
  #failures = 0
  /** Until when it rests because it failed, and because it asked for it. */
  #failsUntil = Number.NEGATIVE_INFINITY
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** Until when it accepts no transactions, at its own request: providers limit sending separately. */
  #sendsPausedUntil = Number.NEGATIVE_INFINITY
  highestSlot = 0
  /** When its chain was last checked. */
  slotAt = Number.NEGATIVE_INFINITY
  /** Whether it has reported that it keeps no history of transactions. */
  lacksHistory = false
  /** Its capabilities when it last reported them; null before. */
  capabilities: Capabilities | null = null
  /** Set while it belongs to another chain. */
  wrong: WrongChain | null = null
  /** Why it is not used, in a few words; null while it works. */
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
        // The caller chooses the next node. A back-off of web3.js would only delay it.
        disableRetryOnRateLimit: true,
        fetch: ((_url: string, init: RequestInit) => this.#call(url, init, purpose)) as never,
      })
    this.#connections = Object.fromEntries(purposes.map((purpose) => [purpose, connect(purpose)])) as never
  }

  /** How many milliseconds it still rests; 0 if it can be used. */
  get rest_ms(): number {
    return Math.max(0, Math.max(this.#failsUntil, this.#pausedUntil) - performance.now())
  }

  /** The same for sending. */
  get sendRest_ms(): number {
    return Math.max(this.rest_ms, this.#sendsPausedUntil - performance.now())
  }

  /** Calls the node once its chain is known to be the right one. */
  ask<T>(question: Question<T>, purpose: Purpose): Promise<T> {
    return retryIfCutOff(async () => {
      await this.#identify()
      return this.#ask(question, purpose)
    })
  }

  /** Takes a call for resending from its budget, if one is free now. */
  mayResend(): boolean {
    return this.#budget.tryTurn("resending")
  }

  /** Sends a transaction at once, even if the chain is unknown: its blockhash binds it to one chain. */
  send(wire: Buffer, purpose: "sending" | "resending"): void {
    const encoded = wire.toString("base64")
    const options = { skipPreflight: true, maxRetries: 0 }
    retryIfCutOff(() => this.#ask((connection) => connection.sendEncodedTransaction(encoded, options), purpose)).catch(
      (error) => logger.debug({ err: error, node: this.name }, "a transaction was not accepted"),
    )
  }

  async #ask<T>(question: Question<T>, purpose: Purpose): Promise<T> {
    try {
      return await question(this.#connections[purpose])
    } catch (error) {
      this.lacksHistory ||= hasNoHistory(error)
      throw error
    }
  }

  /** Records the slot of an answer. Rejects if it is impossible, or so low that the chain may be another one. */
  async noteSlot(slot: number, connection: Connection): Promise<void> {
    const claim = this.#slots.judge(slot)
    const isSound =
      claim === "plain" || (claim === "surprising" && Slots.explains(await connection.getSlot("processed"), slot))
    // Another chain may now be behind the same connection, at another slot.
    if (claim === "surprising") await this.identifyAgain()
    if (!isSound) {
      this.#noteFailure("reports an impossible slot")
      throw new RpcUnavailable(`${this.name} reports slot ${slot}, which is impossible`)
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

  /** Reads its genesis hash, even if it was read recently. */
  identifyAgain(): Promise<void> {
    this.#forgetIdentity()
    return retryIfCutOff(() => this.#identify())
  }

  /** Reads its capabilities. Rejects if it does not answer; the known ones then stay. */
  async learnCapabilities(address: PublicKey): Promise<void> {
    this.capabilities = await this.ask((connection) => askCapabilities(connection, address), "background")
    this.lacksHistory = !this.capabilities.keeps_history
  }

  #forgetIdentity(): void {
    this.#identified = null
  }

  /** After an interruption, another chain may be behind the same address. */
  #identify(): Promise<void> {
    if (performance.now() - this.#identifiedAt > IDENTITY_EVERY_MS) this.#forgetIdentity()
    if (this.#identified === null) {
      this.#identifiedAt = performance.now()
      // Concurrent callers share one request.
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
      // Read here: a body that breaks off or never ends is a failure of the node.
      const body = await readBounded(response, MAX_ANSWER_BYTES)
      if (response.ok && !body.includes(idOf(init.body))) throw new RpcUnavailable(`${this.name} ${ANSWERS_ELSE}`)
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

  /** In milliseconds. The header has seconds, or a time by the node's clock (RFC 9110 §10.2.3). */
  #retryAfter(response: Response): number {
    const said = response.headers.get("retry-after")
    if (said === null) return this.#nextPause()
    const ms = /^\d+$/.test(said)
      ? Number(said) * 1000
      : Date.parse(said) - Date.parse(response.headers.get("date") ?? "")
    return Number.isFinite(ms) ? Math.min(Math.max(ms, FIRST_REST_MS), LONGEST_RETRY_AFTER_MS) : this.#nextPause()
  }

  #nextPause(): number {
    return Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS)
  }

  #noteFailure(what: string): void {
    this.trouble = what
    if (this.#failures++ > 0) this.#rest(what, Math.min(FIRST_REST_MS * 2 ** (this.#failures - 2), LONGEST_REST_MS))
  }

  #rest(what: string, ms: number): void {
    this.trouble = what
    this.#failsUntil = performance.now() + ms
  }
}

/** Error code of Node's fetch for a connection that ended during a request (https://undici.nodejs.org/#/docs/api/Errors). */
const CUT_OFF = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

/** Every call may be repeated: only sending changes anything, and a transaction lands once. */
const retryIfCutOff = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((error) => {
    if (CUT_OFF.has(causeOf(error))) return ask()
    throw error
  })

const causeOf = (error: unknown): string => (error as { cause?: { code?: string } } | null)?.cause?.code ?? ""

/** jayson writes the method first. */
const methodOf = (body: unknown): string => /"method":"(\w+)"/.exec(String(body).slice(0, 200))?.[1] ?? "unknown"

const ANSWERS_ELSE = "answers something else than it was asked"

/** The random id of a call, which its answer must repeat: a proxy may mix up answers. */
const idOf = (body: unknown): string => /"id":("[^"]*"|\d+)}?$/.exec(String(body).slice(-60))?.[1] ?? ""

/** Whether a node refused a call. A node that lags is not at fault: it is called again. */
const isRefusal = (body: Buffer): boolean => body.includes('"error":{') && !body.includes("-32016")

/** The error without the address, which may contain a key. */
const nameOf = (error: unknown): string =>
  error instanceof RpcUnavailable
    ? ANSWERS_ELSE
    : (error as Error).name === "TimeoutError"
      ? "does not answer"
      : causeOf(error) || "cannot be reached"
