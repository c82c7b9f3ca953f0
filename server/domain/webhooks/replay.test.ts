import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  app,
  caller,
  consumer,
  ended,
  eventsOf,
  sendsWebhooks,
  subscribe,
  twoEvents,
  until,
} from "#test/fixtures/webhooks.ts"

sendsWebhooks()

test("a replay sends one event of any type, all since a time, or all after a cursor or a number", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to, { types: ["session.opened"] })
  await twoEvents(key)
  await twoEvents(key)
  await until(to, 2)
  await ended(call, id)
  const [first, pending] = await eventsOf(call)
  const replay = async (json: Record<string, unknown>) =>
    (await call("POST", `/webhook-endpoint/${id}/replay`, json)).json
  // An event that was not for this endpoint.
  expect(await replay({ event_id: pending!.id })).toEqual({ endpoint_id: id, events: 1 })
  await until(to, 3)
  await ended(call, id)
  expect(to.received.at(-1)!.id).toBe(pending!.id)
  expect(await replay({ after: 0 })).toEqual({ endpoint_id: id, events: 2 })
  await until(to, 5)
  await ended(call, id)
  expect(new Set(to.sequences().slice(3))).toEqual(new Set([1, 3]))
  expect(await replay({ since: first!.occurred_at })).toMatchObject({ events: 2 })
  await until(to, 7)
  expect(await replay({ since: "2999-01-01T00:00:00Z" })).toMatchObject({ events: 0 })
  await ended(call, id)
  const cursors = (await eventsOf(call)).map(({ cursor }) => cursor!)
  const { length: before } = to.received
  expect(await replay({ cursor: cursors[1] })).toEqual({ endpoint_id: id, events: 1 })
  await until(to, before + 1)
  await ended(call, id)
  expect(to.sequences().slice(before)).toEqual([3])
  expect(await replay({ cursor: cursors[3] })).toEqual({ endpoint_id: id, events: 0 })
  for (const [json, error] of [
    [{}, "validation_failed"],
    [{ after: 1, event_id: first!.id }, "validation_failed"],
    [{ after: -1 }, "validation_failed"],
    [{ after: 5 }, "validation_failed"],
    [{ after: 0, cursor: "0" }, "validation_failed"],
    [{ cursor: "1" }, "validation_failed"],
    [{ since: "yesterday" }, "validation_failed"],
    [{ event_id: "evt_1" }, "event_not_found"],
    [{ event_id: "\u0000" }, "event_not_found"],
  ] as const)
    expect((await replay(json)).error, JSON.stringify(json)).toBe(error)
  await sql`update event_counters set dropped = 2 where workspace_id = ${key.workspaceId}`
  expect(await replay({ after: 1 })).toMatchObject({ error: "events_expired" })
  expect(await replay({ cursor: cursors[0] })).toMatchObject({ error: "events_expired" })
  await sql`update event_counters set dropped = 0 where workspace_id = ${key.workspaceId}`
})

test("a replay from a lost event is refused and says from where to replay, even to a repeated key", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  await twoEvents(key)
  await waitFor(async () => (await eventsOf(call)).length === 2, "two events")
  const id = await subscribe(call, to)
  const [first, second] = (await eventsOf(call)).map(({ cursor }) => cursor!)
  await sql`update events set generation = 'later' where workspace_id = ${key.workspaceId} and sequence = 2`
  const ask = () =>
    app.request({
      method: "POST",
      path: `/webhook-endpoint/${id}/replay`,
      key: key.apiKey,
      json: { cursor: second },
      headers: { "Idempotency-Key": "replay-1" },
    })
  for (const response of [await ask(), await ask()]) {
    expect(response).toMatchObject({
      status: 410,
      headers: { "resume-cursor": first },
      json: { error: "events_rewound", detail: expect.stringContaining(`cursor=${first}`) },
    })
  }
  expect(await call("POST", `/webhook-endpoint/${id}/replay`, { cursor: first })).toMatchObject({
    status: 200,
  })
})
