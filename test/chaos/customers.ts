import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Keypair } from "@solana/web3.js"
import { Webhook } from "standardwebhooks"
import type { Response, Sent } from "../fixtures/http.ts"
import { type Client, newClient } from "./client.ts"
import { Queue } from "./queue.ts"

/** One verification, as its customer and its provider see it. */
export type Case = {
  wallet: string
  idempotencyKey: string
  eventId: string
  /** From the first acknowledgement. */
  sessionId: string | null
  approved: boolean
}

export type CustomersOptions = { client: Client; webhookSecret: string; total: number }

/** The holder takes up to this long for the form, so that at any moment there is a case at every step. */
const FORM_MS = 700

/**
 * Customers who start verifications, and the provider who approves them. Repeats carry the same Idempotency-Key or
 * webhook-id.
 */
export class Customers {
  readonly cases: Case[]
  readonly client: Client
  readonly #webhookSecret: string
  readonly #queue: Queue<Case>

  constructor({ client, webhookSecret, total }: CustomersOptions) {
    this.client = client
    this.#webhookSecret = webhookSecret
    this.cases = Array.from({ length: total }, () => ({
      wallet: Keypair.generate().publicKey.toBase58(),
      idempotencyKey: `chaos-${randomUUID()}`,
      eventId: `evt-${randomUUID()}`,
      sessionId: null,
      approved: false,
    }))
    this.#queue = new Queue(client, this.cases)
  }

  /** Raises the number of cases that may start, in total. */
  release(upTo: number): void {
    this.#queue.release(upTo)
  }

  get approved(): number {
    return this.cases.filter((one) => one.approved).length
  }

  /** Resolves when every case is approved or the client is stopped. */
  run(): Promise<void> {
    const { random } = this.client
    return this.#queue.run(async (one) => {
      await this.start(one)
      await sleep(random.below(FORM_MS))
      if (random.chance(0.2)) await this.start(one)
      await this.approve(one)
      if (random.chance(0.2)) await this.approve(one)
    })
  }

  /** Starts and approves all cases at once. */
  runAll(): Promise<void> {
    this.release(this.cases.length)
    return this.run()
  }

  /** Starts the case. A repeated start must return the same session. */
  async start(one: Case): Promise<Response> {
    const response = await this.client.insist({
      method: "POST",
      path: "/kyc/start",
      key: this.client.apiKey,
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

  /** Repeats the approval of a started case until the server acknowledges it. */
  async approve(one: Case): Promise<void> {
    const { json } = await this.client.insist(approval(this.#webhookSecret, one.sessionId!, one.eventId))
    const { outcome } = json as { outcome: string }
    const expected = one.approved ? ["duplicate"] : ["applied", "duplicate"]
    if (!expected.includes(outcome)) throw new Error(`the approval of ${one.sessionId} was ${outcome}`)
    one.approved = true
  }

  /** A GET, repeated until it is answered. */
  read = (path: string): Promise<Response> => this.client.read(path)
}

/** The provider's report that a session was approved. */
export function approval(webhookSecret: string, session_id: string, eventId: string): Sent {
  const at = new Date()
  const data = {
    session_id,
    decision: "approved",
    occurred_at: at.toISOString(),
    claims: { country: "US", age_over_18: true },
  }
  const body = JSON.stringify({ type: "verification.completed", data })
  return {
    method: "POST",
    path: "/kyc/webhook",
    headers: {
      "content-type": "application/json",
      "webhook-id": eventId,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(webhookSecret).sign(eventId, at, body),
    },
    body,
  }
}

/** Customers of a deployment, with their client. */
export const newCustomers = (
  deployment: { origin: string; webhookSecret: string },
  { apiKey, total }: { apiKey: string; total: number },
): Customers =>
  new Customers({
    client: newClient(deployment, apiKey),
    webhookSecret: deployment.webhookSecret,
    total,
  })
