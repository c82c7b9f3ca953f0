import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Keypair } from "@solana/web3.js"
import { Webhook } from "standardwebhooks"
import { type Response, type Sent, send } from "../http.ts"
import { newSeed, type Random, randomFrom } from "./random.ts"

/** A request that takes longer is given up and sent again. */
const DEADLINE_MS = 40_000

/** One verification, as its customer and its provider know it. */
export type Case = {
  wallet: string
  idempotencyKey: string
  eventId: string
  /** Of the first acknowledged answer. */
  sessionId: string | null
  approved: boolean
}

export type CustomersOptions = {
  origin: string
  apiKey: string
  webhookSecret: string
  random: Random
  total: number
}

/** Verifications under way at once. */
const PARALLEL = 16
/** The wallet's holder takes up to so long for the form, so that at any instant some case is at every stage. */
const FORM_MS = 700

/**
 * Customers who start verifications, and the provider who approves them. Both do what a careful client does: on
 * silence and on 5xx they send the same request again, with the same Idempotency-Key or webhook-id.
 */
export class Customers {
  readonly cases: Case[]
  /** How often a request had to be sent again, by the reason. */
  readonly retries = new Map<string, number>()
  requests = 0
  readonly #options: CustomersOptions
  readonly #stop = new AbortController()
  #released = 0
  #next = 0

  constructor(options: CustomersOptions) {
    this.#options = options
    this.cases = Array.from({ length: options.total }, () => ({
      wallet: Keypair.generate().publicKey.toBase58(),
      idempotencyKey: `chaos-${randomUUID()}`,
      eventId: `evt-${randomUUID()}`,
      sessionId: null,
      approved: false,
    }))
  }

  /** Lets so many of the cases begin, in all. */
  release(upTo: number): void {
    this.#released = Math.min(upTo, this.cases.length)
  }

  get approved(): number {
    return this.cases.filter((one) => one.approved).length
  }

  /** Ends when every case is approved, or `stop` was called. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: PARALLEL }, () => this.#work()))
  }

  /** All of the cases, at once. */
  runAll(): Promise<void> {
    this.release(this.cases.length)
    return this.run()
  }

  stop(): void {
    this.#stop.abort()
  }

  async #work(): Promise<void> {
    const { random } = this.#options
    while (this.#next < this.cases.length) {
      if (this.#stop.signal.aborted) return
      if (this.#next >= this.#released) {
        await sleep(20)
        continue
      }
      const one = this.cases[this.#next++]!
      await this.start(one)
      await sleep(random.below(FORM_MS))
      if (random.chance(0.2)) await this.start(one)
      await this.approve(one)
      if (random.chance(0.2)) await this.approve(one)
    }
  }

  /** Starts the case, or starts it again: the session must be the same. */
  async start(one: Case): Promise<Response> {
    const response = await this.insist({
      method: "POST",
      path: "/kyc/start",
      key: this.#options.apiKey,
      idempotencyKey: one.idempotencyKey,
      json: { userPubkey: one.wallet, schemaId: "kyc_individual_v1" },
    })
    const { session_id } = response.json as { session_id: string }
    if (one.sessionId !== null && session_id !== one.sessionId) {
      throw new Error(`${one.idempotencyKey} gave ${one.sessionId} first and ${session_id} later`)
    }
    one.sessionId = session_id
    return response
  }

  /** Reports the approval of a case that was started, until it is acknowledged. */
  async approve(one: Case): Promise<void> {
    const data = {
      session_id: one.sessionId,
      decision: "approved",
      occurred_at: new Date().toISOString(),
      claims: { country: "US", age_over_18: true },
    }
    const body = JSON.stringify({ type: "verification.completed", data })
    const at = new Date()
    const { json } = await this.insist({
      method: "POST",
      path: "/kyc/webhook",
      headers: {
        "content-type": "application/json",
        "webhook-id": one.eventId,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(this.#options.webhookSecret).sign(one.eventId, at, body),
      },
      body,
    })
    const { outcome } = json as { outcome: string }
    const expected = one.approved ? ["duplicate"] : ["applied", "duplicate"]
    if (!expected.includes(outcome)) throw new Error(`the approval of ${one.sessionId} was ${outcome}`)
    one.approved = true
  }

  /** A GET that must be answered. */
  read = (path: string): Promise<Response> => this.insist({ method: "GET", path, key: this.#options.apiKey })

  /** Sends a request until it is answered below 500. Any other answer than 200 is a defect. */
  async insist(sent: Sent): Promise<Response> {
    for (;;) {
      this.requests++
      const [response, trouble] = await attempt(this.#options.origin, sent)
      if (response?.status === 200) return response
      if (response && response.status < 500 && response.json?.error !== "idempotency_in_progress") {
        throw new Error(`${sent.method} ${sent.path} answered ${response.status}: ${response.text}`)
      }
      this.retries.set(trouble, (this.retries.get(trouble) ?? 0) + 1)
      if (this.#stop.signal.aborted) throw new Error("stopped")
      await sleep(20 + this.#options.random.below(200))
    }
  }
}

async function attempt(origin: string, sent: Sent): Promise<[Response | null, string]> {
  const deadline = new AbortController()
  const late = sleep(DEADLINE_MS, null, { signal: deadline.signal, ref: false }).catch(() => null)
  try {
    const response = await Promise.race([send(origin, sent), late])
    if (response === null) return [null, "no answer"]
    return [response, `${response.status} ${response.json?.error ?? ""}`]
  } catch (error) {
    return [null, (error as NodeJS.ErrnoException).code ?? String(error)]
  } finally {
    deadline.abort()
  }
}

/** Customers of a deployment, with randomness of their own. */
export const newCustomers = (
  { origin, webhookSecret }: { origin: string; webhookSecret: string },
  { apiKey, total }: { apiKey: string; total: number },
): Customers => new Customers({ origin, apiKey, webhookSecret, random: randomFrom(newSeed()), total })
