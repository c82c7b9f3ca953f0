import { randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { beforeAll, expect, test } from "vitest"
import { newId } from "#server/lib/ids.ts"
import { signWebhook, type TestKey, webhookSecret } from "#test/fixtures/app.ts"
import { type Response, send } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

// Without a worker, only webhooks change anything here.
const liveSecret = `whsec_${randomBytes(32).toString("base64")}`
const nextSecret = `whsec_${randomBytes(24).toString("base64")}`
let liveKey: TestKey
let sessionId: string

usesCustomer({
  environment: {
    VOUCH_ROLE: "web",
    VOUCH_TEST_WEBHOOK_SECRET: `${webhookSecret} ${nextSecret}`,
    VOUCH_LIVE_WEBHOOK_SECRET: liveSecret,
  },
})
beforeAll(async () => {
  liveKey = await app.key({ mode: "live" })
  sessionId = (await app.startSession(key)).sessionId
})

const eventOf = (data: Record<string, unknown> = {}, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({
    type: "verification.completed",
    data: { session_id: sessionId, decision: "approved", occurred_at: new Date().toISOString(), ...data },
    ...rest,
  })

const post = (body: string | Buffer, headers: Record<string, string | string[]>, path = "/kyc/webhook") =>
  app.request({ method: "POST", path, headers, body })

/** Sends a request that must be refused, and checks that no row of any table changed. */
async function refused(send: () => Promise<Response>, status: number, error: string): Promise<Response> {
  const before = await snapshot()
  const response = await send()
  expect(response).toMatchObject({ status, json: { error } })
  expect(await snapshot()).toEqual(before)
  return response
}

const now = () => Math.floor(Date.now() / 1000)
const sign = (body: string, timestamp: number, id = "evt_1", secret = webhookSecret) => ({
  "content-type": "application/json",
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
})
const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))
const genuine = eventOf

test.each(["/kyc/webhook/", "/kyc/webhook/sandbox/", "/kyc/webhook?source=vendor", "/kyc/webhook/sandbox/?a=1&b"])(
  "a vendor can use %s as the webhook's address",
  async (path) => {
    const body = eventOf({ session_id: newId("sess") })
    const headers = sign(body, now(), newId("evt"))
    const answer = await send(app.origin, { method: "POST", path, headers, body })
    expect(answer).toMatchObject({ status: 200, json: { outcome: "ignored" } })
    expect((await app.request({ method: "GET", path: "/health/" })).status).toBe(404)
  },
)

test.each<[string, (body: string) => Record<string, string | string[]>]>([
  ["unsigned", () => ({ "content-type": "application/json" })],
  ["signed with another secret", (body) => sign(body, now(), "evt_1", `whsec_${randomBytes(32).toString("base64")}`)],
  ["without an id", (body) => without(sign(body, now()), "webhook-id")],
  ["without a timestamp", (body) => without(sign(body, now()), "webhook-timestamp")],
  ["without a signature", (body) => without(sign(body, now()), "webhook-signature")],
  ["with an empty id", (body) => ({ ...sign(body, now(), ""), "webhook-id": "" })],
  ["under another id", (body) => ({ ...sign(body, now()), "webhook-id": "evt_2" })],
  ["with an id that is too long", (body) => sign(body, now(), "e".repeat(256))],
  ["301 seconds old", (body) => sign(body, now() - 301)],
  ["from the future", (body) => sign(body, now() + 400)],
  ["with a newer timestamp", (body) => ({ ...sign(body, now() - 400), "webhook-timestamp": String(now()) })],
  ["with a fraction of a second", (body) => ({ ...sign(body, now()), "webhook-timestamp": `${now()}.0` })],
  ["with an exponent", (body) => ({ ...sign(body, now()), "webhook-timestamp": `${now()}e0` })],
  ["with letters after the digits", (body) => ({ ...sign(body, now()), "webhook-timestamp": `${now()}abc` })],
  ["with a zero before the digits", (body) => ({ ...sign(body, now()), "webhook-timestamp": `0${now()}` })],
  ["with a sign", (body) => ({ ...sign(body, now()), "webhook-timestamp": `+${now()}` })],
  ["in hexadecimal", (body) => ({ ...sign(body, now()), "webhook-timestamp": `0x${now().toString(16)}` })],
  ["in milliseconds", (body) => ({ ...sign(body, now()), "webhook-timestamp": String(Date.now()) })],
  ["that is not a number", (body) => ({ ...sign(body, now()), "webhook-timestamp": "NaN" })],
  ["with two timestamps", (body) => ({ ...sign(body, now()), "webhook-timestamp": [String(now()), String(now())] })],
  ["with an empty signature", (body) => ({ ...sign(body, now()), "webhook-signature": "" })],
  [
    "with a truncated signature",
    (body) => {
      const headers = sign(body, now())
      return { ...headers, "webhook-signature": headers["webhook-signature"].slice(0, -4) }
    },
  ],
  [
    "with another version",
    (body) => {
      const headers = sign(body, now())
      return { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }
    },
  ],
  [
    "with the bare signature",
    (body) => {
      const headers = sign(body, now())
      return { ...headers, "webhook-signature": headers["webhook-signature"].slice(3) }
    },
  ],
])("a webhook that is %s is refused, and changes no row", async (_name, headers) => {
  const body = genuine()
  const response = await refused(() => post(body, headers(body)), 401, "invalid_signature")
  expect(response.json.detail).toMatch(/signed/)
})

test.each<[string, (body: string) => string | Buffer]>([
  ["truncated", (body) => body.slice(0, -1)],
  ["empty", () => ""],
  ["longer by a space", (body) => `${body} `],
  ["the same JSON in other bytes", (body) => JSON.stringify(JSON.parse(body), null, 1)],
  ["the same JSON, escaped differently", (body) => body.replace("approved", "\\u0061pproved")],
  ["another decision", (body) => body.replace("approved", "rejected")],
  ["marked as UTF-8", (body) => `\uFEFF${body}`],
  ["in UTF-16", (body) => Buffer.from(body, "utf16le")],
  ["with bytes that are not UTF-8", (body) => Buffer.concat([Buffer.from(body), Buffer.from([0xff])])],
])("a signed body that arrives %s is refused, and changes no row", async (_name, changed) => {
  const body = genuine()
  await refused(() => post(changed(body), sign(body, now())), 401, "invalid_signature")
})

test("signed bytes that are not UTF-8 are malformed_json, not an invalid signature: the sender made a mistake", async () => {
  const { createHmac } = await import("node:crypto")
  const body = Buffer.from(genuine({ reason: "caf\u00e9" }), "latin1")
  const timestamp = String(now())
  const secret = Buffer.from(webhookSecret.slice(6), "base64")
  const signature = createHmac("sha256", secret).update(`evt_1.${timestamp}.`).update(body).digest("base64")
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  }
  await refused(() => post(body, headers), 400, "malformed_request")
})

test.each(["{", "", "not json", "{'a': 1}", '{"a": 1}}'])(
  "a signed body that is not JSON, %j, is malformed_json",
  async (body) => {
    await refused(() => post(body, signWebhook("evt_1", body)), 400, "malformed_json")
  },
)

test("a signed body with two decisions is refused", async () => {
  for (const again of ['"decision":"rejected"', '"\\u0064ecision":"rejected"', '"decision":"approved"']) {
    const body = genuine().replace('"decision"', `${again},"decision"`)
    const response = await refused(() => post(body, signWebhook("evt_1", body)), 400, "malformed_json")
    expect(response.json.detail).toMatch(/^decision: in the body twice/)
  }
})

test("a byte order mark that was signed with the body is ignored", async () => {
  const body = `\ufeff${genuine({ session_id: "sess_unknown" })}`
  const response = await post(body, signWebhook("evt_1", body))
  expect(response).toMatchObject({ status: 200, json: { outcome: "ignored" } })
})

test.each(["[]", "null", '"text"', "1"])("a signed body that is not an object, %s, is malformed", async (body) => {
  await refused(() => post(body, signWebhook("evt_1", body)), 400, "malformed_request")
})

/** Stands for a time that is too far ahead when the event is sent. */
const IN_FUTURE = "in 400 seconds"

test.each<[string, string]>([
  ["type", eventless({ type: undefined })],
  ["type", eventless({ type: "verification.started" })],
  ["data", eventless({ data: undefined })],
  ["data", eventless({ data: [] })],
  ["data.session_id", dataWith({ session_id: undefined })],
  ["data.session_id", dataWith({ session_id: 7 })],
  ["data.decision", dataWith({ decision: undefined })],
  ["data.decision", dataWith({ decision: "Approved" })],
  ["data.decision", dataWith({ decision: "constructor" })],
  ["data.occurred_at", dataWith({ occurred_at: undefined })],
  ["data.occurred_at", dataWith({ occurred_at: null })],
  ["data.occurred_at", dataWith({ occurred_at: 1767225600 })],
  ["data.occurred_at", dataWith({ occurred_at: "yesterday" })],
  ["data.occurred_at", dataWith({ occurred_at: "2026-01-02" })],
  ["data.occurred_at", dataWith({ occurred_at: "2026-02-30T00:00:00Z" })],
  ["data.occurred_at", dataWith({ occurred_at: "2026-01-02T25:00:00Z" })],
  ["data.occurred_at", dataWith({ occurred_at: "2026-01-02T00:00:00" })],
  ["data.occurred_at", dataWith({ occurred_at: "2026-01-02T00:00:00+99:00" })],
  ["data.occurred_at", dataWith({ occurred_at: "0000-01-01T00:00:00Z" })],
  ["data.occurred_at", dataWith({ occurred_at: "0001-01-01T00:00:00+14:00" })],
  ["data.occurred_at", dataWith({ occurred_at: "1969-12-31T23:59:59Z" })],
  ["data.occurred_at", dataWith({ occurred_at: "9999-12-31T23:59:59Z" })],
  ["data.occurred_at", dataWith({ occurred_at: IN_FUTURE })],
  ["data.claims", dataWith({ claims: [] })],
  ["data.claims.country", dataWith({ claims: { country: "XYZ" } })],
  ["data.claims.country", dataWith({ claims: { country: "us" } })],
  ["data.claims.country", dataWith({ claims: { country: "ZZ" } })],
  ["data.claims.age_over_18", dataWith({ claims: { age_over_18: "yes" } })],
  ["data.claims.accredited", dataWith({ claims: { accredited: 1 } })],
  ["data.reason", dataWith({ reason: 1 })],
  ["data.reason", dataWith({ reason: "" })],
  ["data.reason", dataWith({ reason: "x".repeat(501) })],
  ["data.reason", dataWith({ reason: "a\u0000b" })],
  ["data.reason", dataWith({ reason: "bell\u0007" })],
  ["data.reason", dataWith({ reason: "half \udc00" })],
])("a signed event with a wrong %s is validation_failed, and changes no row: %s", async (field, template) => {
  const inFuture = new Date(Date.now() + 400_000).toISOString()
  const body = template.replace("sess_here", sessionId).replace(IN_FUTURE, inFuture)
  const response = await refused(() => post(body, signWebhook("evt_1", body)), 422, "validation_failed")
  expect(response.json.detail).toMatch(new RegExp(`^${field}: `))
})

function eventless(rest: Record<string, unknown>): string {
  return JSON.stringify({ type: "verification.completed", data: data(), ...rest })
}
function dataWith(rest: Record<string, unknown>): string {
  return JSON.stringify({ type: "verification.completed", data: { ...data(), ...rest } })
}
function data() {
  return { session_id: "sess_here", decision: "approved", occurred_at: "2026-01-02T03:04:05Z" }
}

test.each(["sess_unknown", "", "att_1", "x".repeat(100_000), "sess_\u0000", "__proto__", newId("sess")])(
  "a signed event of a session that does not exist is ignored, and changes no row",
  async (unknown) => {
    const before = await snapshot()
    const body = genuine({ session_id: unknown })
    const response = await post(body, signWebhook("evt_1", body))
    expect(response).toMatchObject({ status: 200, json: { received: true, outcome: "ignored" } })
    expect(await snapshot()).toEqual(before)
  },
)

test("an event signed with the test secret never changes a live session, nor the reverse", async () => {
  const live = await app.startSession(liveKey)
  const before = await snapshot()
  const asTest = await app.webhook({ session_id: live.sessionId, decision: "approved" })
  expect(asTest.json.outcome).toBe("ignored")
  const asLive = await app.webhook({ session_id: sessionId, decision: "approved" }, { secret: liveSecret })
  expect(asLive.json.outcome).toBe("ignored")
  expect(await snapshot()).toEqual(before)
  const right = await app.webhook({ session_id: live.sessionId, decision: "rejected" }, { secret: liveSecret })
  expect(right.json.outcome).toBe("applied")
})

test("during a rotation both secrets are valid, and one valid signature of several is enough", async () => {
  for (const secret of [webhookSecret, nextSecret]) {
    const { sessionId } = await app.startSession(key)
    const response = await app.webhook({ session_id: sessionId, decision: "in_review" }, { secret })
    expect(response.json.outcome).toBe("applied")
  }
  const { sessionId } = await app.startSession(key)
  const body = genuine({ session_id: sessionId, decision: "in_review" })
  const headers = signWebhook("evt_many", body)
  headers["webhook-signature"] = `v1,${"A".repeat(43)}= v1a,xyz ${headers["webhook-signature"]}`
  expect((await post(body, headers)).json.outcome).toBe("applied")
})

test("a webhook 299 seconds old or early is accepted", async () => {
  for (const offset of [-290, 290]) {
    const { sessionId } = await app.startSession(key)
    const body = genuine({ session_id: sessionId, decision: "in_review" })
    expect((await post(body, sign(body, now() + offset, newId("evt")))).json.outcome).toBe("applied")
  }
})
