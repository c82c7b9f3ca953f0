import { afterAll, expect, test } from "vitest"
import type { Event } from "#client/index.ts"
import { sequenceEvents } from "#server/domain/events/sequence.ts"
import { type Consumer, startConsumer } from "#test/doubles/webhook-consumer.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { admin, app, key, restores, serve, use } from "#test/fixtures/restores.ts"
import { Primary, type Standby } from "#test/fixtures/standby.ts"
import { note } from "./note.ts"
import { type Claimed, claim, giveBack, readTarget, takeEvents } from "./queue.ts"

// A standby that streams asynchronously takes over without events that a consumer has, and assigns their numbers again.

let primary: Primary
let standby: Standby
let consumer: Consumer
// Last of all.
afterAll(async () => {
  await consumer?.close()
  await standby?.stop()
  await primary?.stop()
})
restores(async () => {
  primary = await Primary.start()
  return primary.url
})

const sends = { VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8" }
/** Requests are accepted, but only the test sends webhooks. */
const takesRequests = { ...sends, VOUCH_ROLE: "web" }
const ask = async (method: "GET" | "POST", path: string, json?: Record<string, unknown>) =>
  (await app.request({ method, path, key: key.apiKey, ...(json && { json }) })).json
const all = async (): Promise<Event[]> => (await ask("GET", "/events?limit=1000")).data
const startSessions = async (count: number) => {
  for (let i = 0; i < count; i++) await app.startSession(key)
}
const reject = (session_id: string) =>
  app.webhook({ session_id, decision: "rejected", occurred_at: "2026-01-01T00:00:00Z" })
/** What a worker does before it sends. */
async function claimAll(endpointId: string, count: number): Promise<Claimed[]> {
  const claimed: Claimed[] = []
  await waitFor(async () => {
    await sequenceEvents()
    await takeEvents()
    claimed.push(...(await claim(key.workspaceId, (await readTarget(key.workspaceId, endpointId))!, 100)))
    return claimed.length >= count
  }, `${count} deliveries to be ready`)
  return claimed.sort((one, other) => Number(one.sequence - other.sequence))
}
const receives = (events: readonly Event[], times = 1) =>
  waitFor(
    async () =>
      events.every(({ cursor }) => consumer.received.filter(({ event }) => event.cursor === cursor).length >= times),
    "every event to be received",
  )

test("a consumer gets every event that a promoted standby has, whatever happened to those with the same numbers", async () => {
  await app.stop()
  await serve(sends)
  consumer = await startConsumer()
  const { endpoint_id: id, secret } = await ask("POST", "/webhook-endpoints", { url: consumer.url })
  consumer.expect(secret)
  const { sessionId } = await app.startSession(key)
  await waitFor(async () => consumer.received.length === 2, "the first webhooks")
  await app.stop()
  standby = await primary.replicate()
  await primary.caughtUp()
  await standby.cut()

  // All of this is lost with the primary: a rejection and sessions that the consumer knows about, and two webhooks that
  // are in transit when the standby takes over.
  await serve(sends)
  await reject(sessionId)
  await startSessions(2)
  await waitFor(async () => (await all()).length === 8, "eight events")
  await receives(await all())
  await app.stop()
  await serve(takesRequests)
  await startSessions(1)
  const onTheWay = await claimAll(id, 2)
  const before = await all()
  expect(onTheWay.map(({ sequence }) => Number(sequence))).toEqual([9, 10])
  await app.stop()

  await admin.end()
  await primary.stop()
  await standby.promote()
  use(standby.url)
  await serve(takesRequests)
  await startSessions(5)
  const claimed = await claimAll(id, 10)
  expect(claimed.map(({ sequence }) => Number(sequence))).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  const pending = async () =>
    (await ask("GET", `/webhook-endpoint/${id}/deliveries?status=pending`)).data as { attempts: number }[]
  const waiting = await pending()
  // A process that survived the failover learns that its webhooks were delivered, or must stop.
  const taken = {
    at: new Date(),
    latency_ms: 1,
    statusCode: 204,
    error: null,
    response: null,
    retryAfter_s: null,
  }
  await note(
    key.workspaceId,
    id,
    onTheWay.map((delivery) => ({ delivery, outcome: taken, signature: "v1,AAAA" })),
  )
  await giveBack(key.workspaceId, id, onTheWay)
  expect(await pending()).toEqual(waiting)
  expect(waiting.map(({ attempts }) => attempts)).toEqual(Array(10).fill(1))
  const { event_id } = claimed.find(({ sequence }) => sequence === 9n)!
  expect((await ask("GET", `/webhook-endpoint/${id}/deliveries/${event_id}`)).attempt_log).toEqual([])
  await giveBack(key.workspaceId, id, claimed)
  await app.stop()

  await serve(sends)
  await reject(sessionId)
  await waitFor(async () => (await all()).length === 14, "fourteen events")
  const after = await all()
  await receives(after)

  // The rejection was lost and happened again with the same id, so the consumer ignores it.
  const rejections = [before, after].map((events) => events.find(({ type }) => type === "attestation.rejected")!)
  expect(rejections[1]!.id).toBe(rejections[0]!.id)
  expect(rejections[1]!.cursor).not.toBe(rejections[0]!.cursor)
  const rejected = consumer.received.filter(({ event }) => event.type === "attestation.rejected")
  expect(rejected.map(({ id }) => id)).toEqual(rejections.map(({ id }) => id))
  expect(rejected.map(({ event }) => event.cursor)).toEqual(rejections.map(({ cursor }) => cursor))
  // A number that was assigned again has another id and another cursor.
  const fifth = consumer.received.filter(({ event }) => event.sequence === 5)
  expect(new Set(fifth.map(({ id }) => id)).size).toBe(2)
  expect(new Set(fifth.map(({ event }) => event.cursor)).size).toBe(2)

  // The consumer's own cursor may be of a lost event. The refusal says from where to replay.
  const lost = consumer.received.findLast(({ event }) => before.some(({ cursor }) => cursor === event.cursor))!
  const refused = await app.request({
    method: "POST",
    path: `/webhook-endpoint/${id}/replay`,
    key: key.apiKey,
    json: { cursor: lost.event.cursor },
  })
  expect(refused).toMatchObject({ status: 410, json: { error: "events_rewound" } })
  const resume = refused.headers["resume-cursor"]
  expect(resume).toBe(before[1]!.cursor)
  expect(await ask("POST", `/webhook-endpoint/${id}/replay`, { cursor: resume })).toMatchObject({
    events: 12,
  })
  await receives(after.slice(2), 2)
})
