import { afterAll, afterEach, beforeAll, expect } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "./app.ts"
import { type Consumer, type Received, startConsumer } from "./webhook-consumer.ts"

export let app: TestApp
const opened: Consumer[] = []

/** A server whose endpoints may be on this machine. What a test has subscribed gets nothing more once it ends. */
export function sendsWebhooks(): void {
  beforeAll(async () => {
    app = await startTestApp({ VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8" })
  })
  afterAll(() => app.stop())
  afterEach(async () => {
    await sql`update webhook_endpoints set disabled_at = now(), disabled_reason = 'requested' where disabled_at is null`
    await Promise.all(opened.splice(0).map((consumer) => consumer.close()))
  })
}

export async function consumer(): Promise<Consumer> {
  const one = await startConsumer()
  opened.push(one)
  return one
}

export const caller =
  (key: TestKey) =>
  async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, json?: Record<string, unknown>) => {
    const payload = json === undefined ? {} : { json }
    return app.request({ method, path, key: key.apiKey, ...payload })
  }
type Call = ReturnType<typeof caller>

export async function subscribe(
  call: Call,
  to: Consumer,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const { status, json, text } = await call("POST", "/webhook-endpoints", { url: to.url, ...fields })
  expect(status, text).toBe(200)
  to.expect(json.secret)
  return json.endpoint_id
}
export const eventsOf = async (call: Call) =>
  (await call("GET", "/events?limit=1000")).json.data as Received["event"][]
export const until = (to: Consumer, count: number, what = `${count} webhooks`) =>
  waitFor(async () => to.received.length >= count, what, 30_000)
export const deliveries = async (call: Call, id: string, query = "") =>
  (await call("GET", `/webhook-endpoint/${id}/deliveries${query}`)).json.data as {
    event_id: string
    sequence: number
    status: string
    attempts: number
    next_attempt_at: string | null
  }[]
export const ended = (call: Call, id: string) =>
  waitFor(
    async () => (await deliveries(call, id)).every(({ status }) => status !== "pending"),
    "nothing to be pending",
    30_000,
  )

/** Two events: a session was opened, and its attestation began. */
export const twoEvents = (key: TestKey) => app.startSession(key)
/** Each but for its repeats. */
export const unrepeated = (sequences: (number | undefined)[]) =>
  sequences.filter((one, i) => i === 0 || one !== sequences[i - 1])

/** Whatever waits for its next attempt is due, until enough have come. What is under way is left alone. */
export const hurried = (id: string, isEnough: () => boolean) =>
  waitFor(
    async () => {
      await sql`
        update webhook_deliveries d set next_attempt_at = now() where endpoint_id = ${id} and status = 'pending'
          and attempts > 0 and next_attempt_at > now() and attempts =
            (select count(*) from webhook_attempts a where a.endpoint_id = d.endpoint_id and a.sequence = d.sequence)`
      return isEnough()
    },
    "more webhooks",
    30_000,
  )
