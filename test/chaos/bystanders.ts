import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Keypair } from "@solana/web3.js"
import { Webhook } from "standardwebhooks"
import { type Response, type Sent, send } from "../fixtures/http.ts"
import { assert } from "./assert.ts"
import type { Random } from "./random.ts"

/** A customer with its keys. */
export type Account = { name: string; apiKey: string }

type Own = { wallet: string; sessionId: string; externalId: string }

/** Time limit for a response. It only makes a hanging request fail. */
const PATIENCE_MS = 60_000
/** Sessions to read. */
const REMEMBERED = 50

/**
 * A customer who keeps working during the storm. Every request is sent once, and must be answered as if no one else
 * used the server, with the customer's own data.
 */
export class Bystander {
  answered = 0
  readonly #origin: string
  readonly #webhookSecret: string
  readonly #account: Account
  readonly #random: Random
  readonly #own: Own[] = []
  #started = 0

  constructor(
    deployment: { origin: string; webhookSecret: string },
    { account, random }: { account: Account; random: Random },
  ) {
    this.#origin = deployment.origin
    this.#webhookSecret = deployment.webhookSecret
    this.#account = account
    this.#random = random
  }

  /** Works until it is stopped. Rejects with the first failed check. */
  async work(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#start(signal), this.#read(signal), this.#read(signal), this.#visit(signal)])
  }

  async #start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wallet = Keypair.generate().publicKey.toBase58()
      const externalId = `${this.#account.name} ${++this.#started}`
      const { json } = await this.#ask({
        method: "POST",
        path: "/kyc/start",
        key: this.#account.apiKey,
        idempotencyKey: randomUUID(),
        json: { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId },
      })
      this.#own.push({ wallet, sessionId: json.session_id, externalId })
      if (this.#own.length > REMEMBERED) this.#own.shift()
      const { json: reported } = await this.#ask(this.#approval(json.session_id))
      assert(reported.outcome === "applied", () => `an approval was ${reported.outcome}`)
      await sleep(300)
    }
  }

  #approval(sessionId: string): Sent {
    const at = new Date()
    const id = randomUUID()
    const data = { session_id: sessionId, decision: "approved", occurred_at: at.toISOString() }
    const body = JSON.stringify({ type: "verification.completed", data })
    return {
      method: "POST",
      path: "/kyc/webhook",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(this.#webhookSecret).sign(id, at, body),
      },
    }
  }

  /** Checks that a customer gets only their own data, and only of this wallet. */
  async #read(signal: AbortSignal): Promise<void> {
    const get = (path: string) => this.#ask({ method: "GET", path, key: this.#account.apiKey })
    for (; !signal.aborted; await sleep(20)) {
      const own = this.#random.pick(this.#own)
      if (!own) continue
      const { json: status } = await get(`/kyc/status/${own.wallet}`)
      const { json: record } = await get(`/attestation/${status.attestation_id}`)
      this.#compare(record, own)
      const { json: list } = await get(`/attestations?pubkey=${own.wallet}`)
      assert(list.data.length === 1, () => `${own.wallet} has ${list.data.length} attestations`)
      this.#compare(list.data[0], own)
      const { json: usage } = await get("/usage")
      assert(usage.used >= 1 && usage.used <= this.#started, () => `used: ${usage.used} of ${this.#started}`)
    }
  }

  #compare(record: { user_pubkey: string; external_id: string }, own: Own): void {
    assert(
      record.user_pubkey === own.wallet && record.external_id === own.externalId,
      () => `${own.externalId} got the attestation of ${record.external_id}, ${record.user_pubkey}`,
    )
  }

  /** Requests the hosted page like a browser, and the data that it shows. */
  async #visit(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(400)) {
      const own = this.#random.pick(this.#own)
      if (!own) continue
      const page = await this.#fetch(`/verify/${own.sessionId}`)
      assert(page.text.includes("<html"), () => "the response is not the hosted page")
      const shown = await this.#fetch("/api/trpc/verification.view", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ sessionId: own.sessionId }),
      })
      const view = JSON.parse(shown.text).result.data
      assert(
        view.wallet === own.wallet && view.company === this.#account.name,
        () => `the page of ${own.externalId} showed ${view.wallet} of ${view.company}`,
      )
      const health = await this.#ask({ method: "GET", path: "/health" })
      assert(health.json.checks.database === "ok", () => `health: ${health.text}`)
    }
  }

  async #ask(sent: Sent): Promise<Response> {
    const response = await inTime(`${sent.method} ${sent.path}`, send(this.#origin, sent))
    assert(response.status === 200, () => `${sent.method} ${sent.path}: ${response.status} ${response.text}`)
    this.answered++
    return response
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<{ text: string }> {
    const response = await inTime(path, fetch(this.#origin + path, init))
    const text = await response.text()
    assert(response.status === 200, () => `${path}: ${response.status} ${text.slice(0, 200)}`)
    this.answered++
    return { text }
  }
}

function inTime<T>(what: string, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} was not answered`)), PATIENCE_MS)
  return Promise.race([
    answer.catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${what}: ${error.code ?? error.message}`, { cause: error })
    }),
    late.promise,
  ]).finally(() => clearTimeout(timer))
}
