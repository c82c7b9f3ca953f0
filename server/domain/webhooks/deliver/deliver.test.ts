import { type AddressInfo, createServer, type Socket } from "node:net"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  app,
  caller,
  consumer,
  deliveries,
  ended,
  eventsOf,
  hurried,
  sendsWebhooks,
  subscribe,
  twoEvents,
  unrepeated,
  until,
} from "#test/fixtures/webhooks.ts"
import { nextAttempt } from "./note.ts"

sendsWebhooks()

test("every event after the endpoint's creation is sent and signed, as in GET /events", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  await twoEvents(key)
  await waitFor(async () => (await eventsOf(call)).length === 2, "the events before")
  const id = await subscribe(call, to)
  await app.verifiedWallet(key)
  await until(to, 4)
  const told = (await eventsOf(call)).slice(2)
  expect(told).toHaveLength(4)
  expect([...to.received].sort((a, b) => a.event.sequence! - b.event.sequence!).map(({ event }) => event)).toEqual(told)
  expect(to.received.map(({ id }) => id)).toEqual(to.received.map(({ event }) => event.id))
  expect(to.refused()).toBe(0)
  await ended(call, id)
  const sent = await deliveries(call, id)
  expect(sent.map(({ sequence }) => sequence)).toEqual([6, 5, 4, 3])
  expect(sent[0]).toMatchObject({ status: "delivered", attempts: 1, next_attempt_at: null })
  // Pages
  const { json: first } = await call("GET", `/webhook-endpoint/${id}/deliveries?limit=3`)
  const { json: second } = await call("GET", `/webhook-endpoint/${id}/deliveries?limit=3&cursor=${first.next_cursor}`)
  expect([...first.data, ...second.data]).toEqual(sent)
  expect(second.next_cursor).toBe(null)
})

test("an endpoint gets only the types that it chose, and no events of another workspace", async () => {
  const [key, to, other] = [await app.key(), await consumer(), await app.key()]
  const call = caller(key)
  const id = await subscribe(call, to, { types: ["attestation.verified", "attestation.verified"] })
  await twoEvents(other)
  await app.verifiedWallet(key)
  await until(to, 1)
  await ended(call, id)
  expect(to.received.map(({ event }) => event.type)).toEqual(["attestation.verified"])
  const { json } = await call("GET", `/webhook-endpoint/${id}`)
  expect(json).toMatchObject({ types: ["attestation.verified"], status: "enabled", failing_since: null })
})

test("a failed delivery is sent again with the same id and body, and each attempt is listed", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to, { types: ["session.opened"] })
  let failures = 2
  to.answer(() => (failures-- > 0 ? 503 : 200))
  await twoEvents(key)
  await until(to, 1)
  await waitFor(
    async () => (await call("GET", `/webhook-endpoint/${id}`)).json.failing_since !== null,
    "it to be failing",
  )
  await hurried(id, () => to.received.length === 3)
  await ended(call, id)
  const [first, second, third] = to.received
  expect([second!.id, third!.id]).toEqual([first!.id, first!.id])
  expect([second!.event, third!.event]).toEqual([first!.event, first!.event])
  const { json } = await call("GET", `/webhook-endpoint/${id}/deliveries/${first!.id}`)
  expect(json).toMatchObject({
    status: "delivered",
    attempts: 3,
    attempt_log: [
      { status_code: 200, error: null, response: "answer 200" },
      { status_code: 503, error: "It answered 503.", response: "answer 503" },
      { status_code: 503, error: "It answered 503." },
    ],
  })
  expect((await call("GET", `/webhook-endpoint/${id}`)).json.failing_since).toBe(null)
})

test("an ordered event waits for the one before, and one that fails permanently is skipped", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to, { ordered: true })
  let isDown = true
  to.answer(() => (isDown ? 500 : 200))
  await twoEvents(key)
  await twoEvents(key)
  await until(to, 1)
  await waitFor(async () => (await deliveries(call, id)).length === 4, "four deliveries")
  await hurried(id, () => to.received.length > 1)
  expect(new Set(to.sequences())).toEqual(new Set([1]))
  isDown = false
  await hurried(id, () => to.sequences().includes(4))
  expect(unrepeated(to.sequences())).toEqual([1, 2, 3, 4])
  // The first delivery has one attempt left.
  isDown = true
  await twoEvents(key)
  await waitFor(async () => {
    const { count } = await sql`
      update webhook_deliveries d set attempts = 9, next_attempt_at = now()
      where endpoint_id = ${id} and sequence = 5 and attempts > 0 and attempts =
        (select count(*) from webhook_attempts a where a.endpoint_id = d.endpoint_id and a.sequence = 5)`
    return count > 0
  }, "the first attempt to be recorded")
  await waitFor(async () => to.sequences().includes(6), "the next event")
  expect(unrepeated(to.sequences())).toEqual([1, 2, 3, 4, 5, 6])
  expect((await deliveries(call, id, "?status=failed")).map(({ sequence }) => sequence)).toEqual([5])
})

test("an ordered endpoint gets many in a row up to the first that fails, and later ones lose no attempt", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to, { ordered: true })
  await sql`update webhook_endpoints set disabled_at = now(), disabled_reason = 'requested' where id = ${id}`
  for (let i = 0; i < 15; i++) await twoEvents(key)
  await waitFor(async () => (await eventsOf(call)).length === 30, "thirty events")
  let isDown = true
  to.answer(({ event }) => (isDown && event.sequence === 9 ? 500 : 204))
  await sql`update webhook_endpoints set disabled_at = null, disabled_reason = null where id = ${id}`
  const all = () => deliveries(call, id, "?limit=100")
  const first = Array.from({ length: 9 }, (_, i) => i + 1)
  await waitFor(async () => (await all()).length === 30, "thirty deliveries")
  await waitFor(async () => to.sequences().includes(9), "the delivery that fails")
  const waiting = await waitFor(async () => {
    const known = await all()
    const behind = known.filter(({ sequence, status }) => sequence > 9 && status === "pending")
    return behind.length === 21 && known.filter(({ status }) => status === "delivered").length === 8 ? behind : null
  }, "eight to be delivered")
  expect(to.sequences()).toEqual(first)
  await waitFor(
    async () => (await all()).every(({ sequence, attempts }) => sequence <= 9 || attempts === 0),
    "the others to be released",
  )
  expect(waiting).toHaveLength(21)
  isDown = false
  await hurried(id, () => to.sequences().includes(30))
  expect(unrepeated(to.sequences())).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
  await ended(call, id)
  const attempts = (await all()).filter(({ sequence }) => sequence !== 9)
  expect(attempts.every((one) => one.attempts === 1)).toBe(true)
})

test("a slow consumer delays no other, and its deliveries are made one after another", async () => {
  const [key, slow, quick] = [await app.key(), await consumer(), await consumer()]
  const call = caller(key)
  const hung: (() => void)[] = []
  slow.answer((_, response) => {
    hung.push(() => response.writeHead(204).end())
    return "answered"
  })
  await subscribe(call, slow)
  const id = await subscribe(call, quick)
  for (let i = 0; i < 6; i++) await twoEvents(key)
  await until(quick, 12)
  await ended(call, id)
  expect(slow.received.length).toBeLessThanOrEqual(8)
  for (const end of hung) end()
})

test("many consumers that stop answering do not delay another workspace", async () => {
  const hung: Socket[] = []
  const hanging = createServer((socket) => hung.push(socket.on("error", () => {}).resume()))
  await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve))
  const { port } = hanging.address() as AddressInfo
  // More than there are places for, of one workspace and of all, and none is known to be slow.
  for (const endpoints of [10, 9, 9]) {
    const [key, types] = [await app.key(), ["session.opened"]]
    for (let i = 0; i < endpoints; i++) {
      const to = { url: `http://127.0.0.1:${port}/${i}`, types }
      expect(await caller(key)("POST", "/webhook-endpoints", to)).toMatchObject({ status: 200 })
    }
    await twoEvents(key)
  }
  await waitFor(async () => hung.length > 16, "requests to all of them")
  const [key, quick] = [await app.key(), await consumer()]
  await subscribe(caller(key), quick)
  await twoEvents(key)
  await until(quick, 2)
  expect(hung.every(({ readyState }) => readyState === "open")).toBe(true)
  for (const socket of hung) socket.destroy()
  hanging.close()
})

test("attempts follow the schedule of Standard Webhooks, and wait longer if a consumer asks for it", () => {
  const now = new Date("2026-01-01T00:00:00Z")
  const delivery = (attempts: number) => ({ attempts }) as Parameters<typeof nextAttempt>[0]["delivery"]
  const failed = (retryAfter_s: number | null = null) =>
    ({ error: "no", retryAfter_s }) as Parameters<typeof nextAttempt>[0]["outcome"]
  const pauseAfter = (attempts: number, random: number, retryAfter?: number) => {
    const next = nextAttempt({ delivery: delivery(attempts), outcome: failed(retryAfter ?? null) }, now, random)
    return next && (next.getTime() - now.getTime()) / 1000
  }
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((attempts) => pauseAfter(attempts, 0.5))).toEqual([
    5,
    300,
    1800,
    7200,
    18_000,
    36_000,
    50_400,
    72_000,
    86_400,
    null,
  ])
  expect([pauseAfter(2, 0), pauseAfter(2, 1)]).toEqual([270, 330])
  expect([pauseAfter(1, 0.5, 60), pauseAfter(3, 0.5, 60)]).toEqual([60, 1800])
})
