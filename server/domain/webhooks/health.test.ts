import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import {
  app,
  caller,
  consumer,
  deliveries,
  ended,
  hurried,
  sendsWebhooks,
  subscribe,
  twoEvents,
} from "#test/fixtures/webhooks.ts"

sendsWebhooks()

async function enter() {
  const { browser, account, workspaceId } = await member(app)
  const key = await app.key({ account })
  const health = async () => (await browser.query("webhook.health")).data.data[0]
  return { account, key, workspaceId, call: caller(key), health }
}

test("an endpoint's health counts its attempts of the last 24 hours and names the last error", async () => {
  const { key, call, health, workspaceId } = await enter()
  const to = await consumer()
  const id = await subscribe(call, to)
  expect(await health()).toMatchObject({ attempts: 0, last_accepted_at: null, last_refused_at: null, last_error: null })
  to.answer(() => 500)
  await twoEvents(key)
  await waitFor(async () => (await health()).attempts >= 2, "both attempts to fail")
  expect(await health()).toMatchObject({ accepted: 0, last_accepted_at: null, last_error: "It answered 500." })
  expect((await health()).waiting).toEqual({ count: 2, atLeast: false })
  to.answer(() => 204)
  await hurried(id, () => to.received.length >= 4)
  await ended(call, id)
  const { attempts, accepted, hours, ...shown } = await health()
  expect(accepted).toBe(2)
  expect(hours).toHaveLength(24)
  expect(hours.reduce((sum: number, one: { refused: number }) => sum + one.refused, 0)).toBe(attempts - 2)
  expect(shown).toMatchObject({
    last_accepted_at: expect.any(String),
    last_error: "It answered 500.",
    waiting: { count: 0, atLeast: false },
    failed: { count: 0, atLeast: false },
  })
  // An hour that has passed from the window.
  await sql`update webhook_hours set hour = hour - interval '24 hours' where workspace_id = ${workspaceId}`
  expect(await health()).toMatchObject({ attempts: 0, accepted: 0, last_accepted_at: shown.last_accepted_at })
})

test("a delivery shows the headers, the body and the answer of each attempt, without the signature to a viewer", async () => {
  const { account, key, call, health } = await enter()
  const to = await consumer()
  const id = await subscribe(call, to)
  to.answer(() => 503)
  await twoEvents(key)
  await waitFor(async () => (await health()).attempts >= 2, "both to be refused")
  const [first] = await deliveries(call, id)
  expect(first).toMatchObject({ status: "pending", last_status_code: 503, last_error: "It answered 503." })
  const { json } = await call("GET", `/webhook-endpoint/${id}/deliveries/${first!.event_id}`)
  const sent = to.received.find((one) => one.id === first!.event_id)!
  expect(JSON.parse(json.body)).toEqual(sent.event)
  expect(json.attempt_log.at(-1)).toMatchObject({
    response: "answer 503",
    headers: {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(json.body)),
      "user-agent": "Vouch-Webhooks/1",
      "webhook-id": first!.event_id,
      "webhook-timestamp": String(sent.timestamp),
      "webhook-signature": sent.signatures.join(" "),
    },
  })
  // A viewer, like a key without webhooks:write, could otherwise send a signed event to the consumer.
  const reader = await app.key({ account, scopes: ["events:read"] })
  const { json: masked } = await caller(reader)("GET", `/webhook-endpoint/${id}/deliveries/${first!.event_id}`)
  expect(masked).toMatchObject({
    body: json.body,
    attempt_log: expect.arrayContaining([
      expect.objectContaining({
        response: "***",
        headers: expect.objectContaining({ "webhook-id": first!.event_id, "webhook-signature": "***" }),
      }),
    ]),
  })
})
