import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Consumer } from "#test/doubles/webhook-consumer.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
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
  until,
} from "#test/fixtures/webhooks.ts"
import { dropOldDeliveries } from "./retention.ts"

sendsWebhooks()

test("both secrets sign while the old one is valid, then only the new one", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to)
  const { json: before } = await call("GET", `/webhook-endpoint/${id}/secret`)
  const { json: after } = await call("POST", `/webhook-endpoint/${id}/rotate-secret`, {
    overlap_seconds: 3600,
  })
  expect(after.secret).not.toBe(before.secret)
  expect(after.previous_secret_until).not.toBe(null)
  // The consumer still has the old secret.
  await twoEvents(key)
  await until(to, 2)
  expect(to.received.map(({ signatures }) => signatures.length)).toEqual([2, 2])
  to.expect(after.secret)
  await twoEvents(key)
  await until(to, 4)
  await sql`update webhook_endpoints set previous_until = now() where id = ${id}`
  await twoEvents(key)
  await until(to, 6)
  expect(to.received.slice(4).map(({ signatures }) => signatures.length)).toEqual([1, 1])
  const { json: at_once } = await call("POST", `/webhook-endpoint/${id}/rotate-secret`, {
    overlap_seconds: 0,
  })
  expect(at_once.previous_secret_until).toBe(null)
  expect(to.refused()).toBe(0)
  const rows = await sql<{ secret: Buffer }[]>`select secret from webhook_endpoints where id = ${id}`
  expect(rows[0]!.secret.toString("latin1")).not.toContain("whsec_")
})

test("a repeat with the same key rotates, creates and deletes nothing twice, and stores no secret", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const id = await subscribe(caller(key), to)
  const send = (method: "POST" | "DELETE", path: string, idempotencyKey: string, json?: object) => {
    const headers = { "idempotency-key": idempotencyKey }
    return app.request({ method, path, key: key.apiKey, headers, ...(json && { json }) })
  }
  const twice = async (...[method, path, name, json]: Parameters<typeof send>) => {
    const [one, other] = [await send(method, path, name, json), await send(method, path, name, json)]
    expect([one.status, other.status], path).toEqual([200, 200])
    expect(other.json).toEqual(one.json)
    expect(other.headers["idempotent-replayed"]).toBe("true")
    return one.json
  }
  const rotated = await twice("POST", `/webhook-endpoint/${id}/rotate-secret`, "rotate", {
    overlap_seconds: 3600,
  })
  // The consumer still has the first secret.
  await twoEvents(key)
  await until(to, 2)
  to.expect(rotated.secret)
  await twoEvents(key)
  await until(to, 4)
  expect(to.refused()).toBe(0)
  const made = await twice("POST", "/webhook-endpoints", "create", { url: "http://127.0.0.1:9/again" })
  await twice("DELETE", `/webhook-endpoint/${made.endpoint_id}`, "delete")
  expect((await send("DELETE", `/webhook-endpoint/${made.endpoint_id}`, "another")).status).toBe(404)
  const again = await send("POST", "/webhook-endpoints", "create", { url: "http://127.0.0.1:9/again" })
  expect([again.status, again.json.error]).toEqual([404, "webhook_endpoint_not_found"])
  const records = await sql<{ body: Buffer | null }[]>`
    select body from idempotency_records where workspace_id = ${key.workspaceId}`
  expect(records.length).toBeGreaterThanOrEqual(4)
  expect(records.filter(({ body }) => body?.toString().includes("whsec_"))).toEqual([])
})

test("a disabled endpoint gets nothing, and gets everything once enabled", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to, { ordered: true })
  const off = await call("PATCH", `/webhook-endpoint/${id}`, { enabled: false })
  expect(off.json).toMatchObject({ status: "disabled", disabled_reason: "requested" })
  await twoEvents(key)
  await twoEvents(key)
  expect((await call("POST", `/webhook-endpoint/${id}/replay`, { after: 0 })).json.error).toBe(
    "webhook_endpoint_disabled",
  )
  await waitFor(async () => (await eventsOf(call)).length === 4, "four events")
  expect(await deliveries(call, id)).toEqual([])
  expect(to.received).toEqual([])
  const on = await call("PATCH", `/webhook-endpoint/${id}`, { enabled: true, description: "Ledger" })
  expect(on.json).toMatchObject({
    status: "enabled",
    disabled_reason: null,
    disabled_at: null,
    description: "Ledger",
  })
  await until(to, 4)
  expect(to.sequences()).toEqual([1, 2, 3, 4])
  const actions = await sql<{ action: string }[]>`
    select action from audit_entries where subject = ${id} order by seq`
  expect(actions.map(({ action }) => action)).toEqual([
    "webhook.created",
    "webhook.disabled",
    "webhook.changed",
    "webhook.enabled",
  ])
})

test("callers who cannot manage endpoints see neither the paths of their URLs nor their responses", async () => {
  const owner = await member(app)
  const [key, to] = [await app.key({ account: owner.account }), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, { ...to, url: `${to.url}/services/T0?token=secret` })
  await twoEvents(key)
  await until(to, 2)
  await ended(call, id)
  await sql`update webhook_attempts set response = 'the answer' where endpoint_id = ${id}`
  const event = (await eventsOf(call))[0]!
  const viewer = await member(app, { account: owner.account, role: "viewer" })
  const reader = caller(await app.key({ account: owner.account, scopes: ["events:read"] }))
  const hidden = { url: `${new URL(to.url).origin}/***`, response: "***" }
  const views = [
    [owner.browser, call, { url: `${to.url}/services/T0?token=secret`, response: "the answer" }],
    [viewer.browser, reader, hidden],
  ] as const
  for (const [browser, call, { url, response }] of views) {
    expect((await call("GET", "/webhook-endpoints")).json.data).toMatchObject([{ url }])
    expect((await call("GET", `/webhook-endpoint/${id}`)).json).toMatchObject({ url })
    const { json } = await call("GET", `/webhook-endpoint/${id}/deliveries/${event.id}`)
    expect(json.attempt_log).toMatchObject([{ response }])
    expect((await browser.query("webhook.list")).data.data).toMatchObject([{ url }])
    expect((await browser.query("event.view", { id: event.id })).data.deliveries).toMatchObject([{ url }])
    expect((await browser.query("find.all", { text: id })).data.data).toMatchObject([{ name: url }])
  }
})

test("410 disables an endpoint immediately, days of failures disable it too, and one success resets them", async () => {
  const [key, gone, failing] = [await app.key(), await consumer(), await consumer()]
  const call = caller(key)
  const [first, second] = [await subscribe(call, gone), await subscribe(call, failing, { types: ["session.opened"] })]
  gone.answer(() => 410)
  failing.answer(() => 500)
  await twoEvents(key)
  await waitFor(
    async () => (await call("GET", `/webhook-endpoint/${first}`)).json.disabled_reason === "gone",
    "the first to be disabled",
  )
  await until(failing, 1)
  await waitFor(
    async () => (await call("GET", `/webhook-endpoint/${second}`)).json.failing_since !== null,
    "it to fail",
  )
  const age = (days: number) => sql`
    update webhook_endpoints set failing_since = now() - ${days} * interval '1 day' where id = ${second}`
  const another = async (of: Consumer) => {
    const before = of.received.length
    await hurried(second, () => of.received.length > before)
  }
  await age(3)
  await another(failing)
  expect((await call("GET", `/webhook-endpoint/${second}`)).json.status).toBe("enabled")
  await age(4)
  await another(failing)
  await waitFor(
    async () => (await call("GET", `/webhook-endpoint/${second}`)).json.disabled_reason === "failing",
    "the second to be disabled",
  )
  const [entry] = await sql`
    select actor, detail ->> 'reason' as reason from audit_entries where subject = ${second} and action = 'webhook.disabled'`
  expect(entry).toEqual({ actor: "system", reason: "failing" })
  // Once fixed, it gets the events that it missed immediately.
  failing.answer(() => 200)
  await call("PATCH", `/webhook-endpoint/${second}`, { enabled: true })
  await ended(call, second)
  expect(await deliveries(call, second)).toMatchObject([{ status: "delivered" }])
})

test("a test event is sent immediately, and its outcome returned", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to)
  const { status, json } = await call("POST", `/webhook-endpoint/${id}/test`, {})
  expect([status, json]).toMatchObject([200, { delivered: true, status_code: 204, error: null }])
  expect(to.received[0]!.event).toMatchObject({ type: "webhook.test", data: { endpoint_id: id } })
  expect(to.received[0]!.event.sequence).toBe(undefined)
  to.answer(() => 500)
  expect((await call("POST", `/webhook-endpoint/${id}/test`)).json).toMatchObject({
    delivered: false,
    status_code: 500,
    error: "It answered 500.",
    response: "answer 500",
  })
  // The outcome of a test event does not count as a delivery.
  expect((await call("GET", `/webhook-endpoint/${id}`)).json.failing_since).toBe(null)
  await call("PATCH", `/webhook-endpoint/${id}`, { url: "https://10.0.0.1/" }).then(({ json }) =>
    expect(json).toMatchObject({
      error: "validation_failed",
      detail: expect.stringMatching(/^url: .*on the public Internet/),
    }),
  )
})

test("only a few test events of a workspace wait for a response at a time, and others are refused", async () => {
  const [key, to] = [await app.key(), await consumer()]
  const call = caller(key)
  const id = await subscribe(call, to)
  const answers: (() => void)[] = []
  to.answer((_, response) => {
    answers.push(() => response.writeHead(204).end())
    return "answered"
  })
  const send = () => call("POST", `/webhook-endpoint/${id}/test`, {})
  const waiting = Array.from({ length: 4 }, send)
  await waitFor(async () => answers.length === 4, "four to wait")
  expect(await send()).toMatchObject({ status: 429, json: { error: "rate_limited" } })
  for (const answer of answers) answer()
  for (const one of await Promise.all(waiting)) expect(one.json.delivered).toBe(true)
  to.answer(() => 204)
  expect((await send()).json.delivered).toBe(true)
})

test("endpoints belong to their workspace, have unique addresses, and are deleted with their deliveries", async () => {
  const [key, other, to] = [await app.key(), await app.key(), await consumer()]
  const [call, stranger] = [caller(key), caller(other)]
  const id = await subscribe(call, to)
  expect((await call("POST", "/webhook-endpoints", { url: to.url })).json.error).toBe("webhook_endpoint_exists")
  for (const [method, path, json] of [
    ["GET", ""],
    ["PATCH", "", {}],
    ["DELETE", ""],
    ["GET", "/secret"],
    ["POST", "/rotate-secret", {}],
    ["POST", "/test", {}],
    ["POST", "/replay", { after: 0 }],
    ["GET", "/deliveries"],
    ["GET", "/deliveries/evt_9tQmW3vXcKpLzR5sYbH2Ga"],
  ] as const) {
    for (const wrong of [id, "whe_x", "%00"]) {
      const answer = await stranger(method, `/webhook-endpoint/${wrong}${path}`, json)
      expect([answer.status, answer.json.error], `${method} ${path}`).toEqual([404, "webhook_endpoint_not_found"])
    }
  }
  const reader = caller(await app.key({ scopes: ["events:read"] }))
  expect((await reader("POST", "/webhook-endpoints", { url: to.url })).status).toBe(403)
  await twoEvents(key)
  await until(to, 2)
  await ended(call, id)
  expect((await call("DELETE", `/webhook-endpoint/${id}`)).json).toEqual({ endpoint_id: id })
  expect((await call("GET", `/webhook-endpoint/${id}`)).status).toBe(404)
  expect((await call("GET", "/webhook-endpoints")).json).toEqual({ data: [] })
  await dropOldDeliveries(clock.now())
  const left = await sql`
    select from webhook_attempts where endpoint_id = ${id} union all
    select from webhook_deliveries where endpoint_id = ${id} union all select from webhook_endpoints where id = ${id}`
  expect(left).toHaveLength(0)
  // The address can be used again.
  await subscribe(call, to)
  for (let i = 1; i < 20; i++)
    expect((await call("POST", "/webhook-endpoints", { url: `${to.url}/${i}` })).status).toBe(200)
  expect((await call("POST", "/webhook-endpoints", { url: `${to.url}/20` })).json.error).toBe("webhook_endpoint_limit")
})

test("a description is returned as written", async () => {
  const call = caller(await app.key())
  for (const description of ["Owner\u202egpj.exe", "\u200b"]) {
    const { status, json } = await call("POST", "/webhook-endpoints", {
      url: "https://example.com",
      description,
    })
    expect([status, json.detail]).toEqual([422, expect.stringMatching(/^description: must /)])
  }
})
