import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds } from "#server/lib/time.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import {
  app,
  caller,
  consumer,
  deliveries,
  ended,
  eventsOf,
  sendsWebhooks,
  subscribe,
  twoEvents,
  until,
} from "#test/fixtures/webhooks.ts"

sendsWebhooks()

const EVER = "2020-01-01T00:00:00Z"

/** An endpoint with six events: the first two were given up, the next two wait for a retry, the last were delivered. */
async function enter() {
  const { browser, account } = await member(app)
  const key = await app.key({ account })
  const [call, to] = [caller(key), await consumer()]
  const id = await subscribe(call, to)
  for (let n = 0; n < 3; n++) await twoEvents(key)
  await until(to, 6)
  await ended(call, id)
  await sql`
    update webhook_deliveries set status = 'failed', attempts = 10 where endpoint_id = ${id} and sequence <= 2`
  await sql`
    update webhook_deliveries set status = 'pending', attempts = 3, ended_at = null,
      next_attempt_at = clock_timestamp() + interval '30 minutes'
    where endpoint_id = ${id} and sequence in (3, 4)`
  to.received.length = 0
  const replay = (since: string, idempotencyKey: string) =>
    app.request({
      method: "POST",
      path: `/webhook-endpoint/${id}/replay`,
      key: key.apiKey,
      json: { failed_since: since },
      headers: { "Idempotency-Key": idempotencyKey },
    })
  const count = async (since: string) => (await browser.query("webhook.countFailed", { id, since })).data
  const progress = async () => (await browser.query("webhook.progress", { id })).data
  return { call, to, id, browser, replay, count, progress }
}

test("a replay of failed events sends those that were counted, once each, and no delivered one", async () => {
  const { call, to, id, replay, count, progress } = await enter()
  expect(await progress()).toBeNull()
  expect(await count(EVER)).toEqual({ failed: 2, retried: 2 })
  expect((await replay(EVER, "one")).json).toEqual({ endpoint_id: id, events: 4 })
  await until(to, 4)
  await ended(call, id)
  expect(to.sequences().sort()).toEqual([1, 2, 3, 4])
  expect(await count(EVER)).toEqual({ failed: 0, retried: 0 })
  expect(await progress()).toMatchObject({ events: 4, left: 0, retried: 0 })
  expect((await replay(EVER, "two")).json).toEqual({ endpoint_id: id, events: 0 })
})

test("of simultaneous replays of failed events, one counts them and the others nothing", async () => {
  const { call, to, id, replay } = await enter()
  const answers = await Promise.all(["one", "two", "three"].map((key) => replay(EVER, key)))
  expect(answers.map(({ json }) => json.events).sort()).toEqual([0, 0, 4])
  await until(to, 4)
  await ended(call, id)
  expect(to.sequences().sort()).toEqual([1, 2, 3, 4])
  const entries = await sql`
    select (detail->>'events')::int as events from audit_entries where subject = ${id} and action = 'webhook.replayed'`
  expect(entries.map(({ events }) => events).sort()).toEqual([0, 0, 4])
})

test("a replay of failed events begins with the time of the event", async () => {
  const { call, to, id, replay, count } = await enter()
  const events = await eventsOf(call)
  const afterTwo = addSeconds(new Date(events[1]!.occurred_at), 1).toISOString()
  await sql`
    update events e set occurred_at = occurred_at + interval '1 hour' from webhook_endpoints w
    where w.id = ${id} and e.workspace_id = w.workspace_id and e.sequence > 2`
  expect(await count(afterTwo)).toEqual({ failed: 0, retried: 2 })
  expect((await replay(afterTwo, "one")).json.events).toBe(2)
  await until(to, 2)
  expect(to.sequences().sort()).toEqual([3, 4])
})

test("a repeated request does not replay again what has failed since", async () => {
  const { to, id, replay, count } = await enter()
  to.answer(() => 500)
  expect((await replay(EVER, "one")).json.events).toBe(4)
  await waitFor(async () => to.received.length >= 4, "the replay to fail")
  // As if the response had been lost before it was stored.
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'one'`
  await sql`
    update webhook_deliveries set status = 'failed', next_attempt_at = null, ended_at = now()
    where endpoint_id = ${id} and sequence <= 4`
  expect((await replay(EVER, "one")).json).toEqual({ endpoint_id: id, events: 4 })
  expect(await count(EVER)).toEqual({ failed: 4, retried: 0 })
})

test("a repeated request finishes a replay that a crash interrupted", async () => {
  const { to, id, replay } = await enter()
  expect((await replay(EVER, "one")).json.events).toBe(4)
  await until(to, 4)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'one'`
  // As if the process had ended before it reopened one of them.
  await sql`
    update webhook_deliveries d set status = 'failed', next_attempt_at = null,
      ended_at = (w.replay->>'at')::timestamptz - interval '1 hour'
    from webhook_endpoints w where w.id = ${id} and d.endpoint_id = w.id and d.sequence = 2`
  expect((await replay(EVER, "one")).json.events).toBe(4)
  await until(to, 5)
  expect(to.sequences().at(-1)).toBe(2)
})

test("an attempt in progress is not sent a second time by a replay", async () => {
  const { to, id, replay, call } = await enter()
  await sql`update webhook_deliveries set next_attempt_at = clock_timestamp() where endpoint_id = ${id} and sequence = 3`
  let answer: (() => void) | undefined
  to.answer((_, response) => {
    if (answer) return 204
    answer = () => response.writeHead(204).end()
    return "answered"
  })
  await until(to, 1)
  expect((await replay(EVER, "one")).json.events).toBe(3)
  answer!()
  await until(to, 4)
  await ended(call, id)
  expect(to.sequences().sort()).toEqual([1, 2, 3, 4])
  expect((await deliveries(call, id)).every(({ status }) => status === "delivered")).toBe(true)
})

test("failed deliveries are counted and replayed by an index", async () => {
  const { id } = await enter()
  await sql.begin(async (sql) => {
    await sql`set local enable_seqscan = off`
    const plan = await sql`
      explain select count(*) from webhook_deliveries
      where workspace_id = 'ws' and endpoint_id = ${id} and sequence > 0 and status = 'failed'`
    expect(JSON.stringify(plan)).toContain("webhook_deliveries_failed")
  })
})
