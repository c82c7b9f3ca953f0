import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newId } from "#server/lib/ids.ts"
import { newWallet, signWebhook, startTestApp, type TestApp, type TestKey } from "#test/fixtures/app.ts"
import { bodies, bodyOf, changes, headers, json } from "#test/fixtures/arbitraries.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { sendRaw } from "#test/fixtures/raw.ts"
import { expectOurs } from "#test/matchers/answers.ts"

let app: TestApp
let key: TestKey
let port: number

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key({ mode: "live", plan: "enterprise" })
  port = Number(new URL(app.origin).port)
})
afterAll(async () => {
  // Still healthy, and no error was logged.
  expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
  expect((await app.request({ method: "GET", path: "/usage", key: key.apiKey })).status).toBe(200)
  expect(app.log.filter((line) => JSON.parse(line).level >= 40)).toEqual([])
  await app.stop()
})

const RUNS = { numRuns: 300 }

const takesAnyJson = (method: "POST" | "PATCH") => async (path: string, body: fc.Arbitrary<unknown>) => {
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: body }, json), async (sent) => {
      expectOurs(await app.request({ method, path, key: key.apiKey, json: sent, headers }))
    }),
    RUNS,
  )
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
}

test.each(Object.entries(bodies))("POST %s takes any JSON", takesAnyJson("POST"))

test("any JSON number is accepted or refused as an amount by its exact digits", async () => {
  const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,24})(\.[0-9]{1,10})?([eE][+-]?[0-9]{1,3})?$/)
  const sign = fc.constantFrom("", "", "", "-")
  await fc.assert(
    fc.asyncProperty(sign, digits, async (minus, number) => {
      const text = minus + number
      const body = `{"user_pubkey":"${newWallet()}","mint_config":"us_real_estate_fund_v1","amount":${text}}`
      const type = { "content-type": "application/json" }
      const response = await app.request({
        method: "POST",
        path: "/token/mint",
        key: key.apiKey,
        headers: type,
        body,
      })
      expectOurs(response)
      const [whole = "", fraction = ""] = text.split(".")
      const isPlain = /^[0-9.]+$/.test(text) && fraction.length <= 6
      const units = isPlain ? BigInt(whole + fraction.padEnd(6, "0")) : 0n
      const isAmount = units > 0n && units < 2n ** 64n
      // A valid amount reaches the next check: this wallet is unknown.
      expect(response.json.error, text).toBe(isAmount ? "wallet_not_verified" : "invalid_amount")
    }),
    RUNS,
  )
})

test.each(["/kyc/start", "/kyc/webhook", "/kyc/webhook/sandbox", "/token/mint", "/mint-configs"])(
  "POST %s takes any bytes",
  async (path) => {
    const raw = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      json.map((value) => Buffer.from(JSON.stringify(value) ?? "", "utf16le")),
      json.map((value) => Buffer.from(JSON.stringify(value) ?? "").subarray(0, -1)),
      fc.nat(200_000).map((depth) => Buffer.from(`{"a":${"[".repeat(depth)}`)),
      fc.nat(5000).map((depth) => Buffer.from(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)),
    )
    const type = fc.constantFrom("application/json", "application/json; charset=latin1", "text/plain", "", "\u00e9")
    await fc.assert(
      fc.asyncProperty(raw, type, async (body, contentType) => {
        const headers = { "content-type": contentType }
        expectOurs(await app.request({ method: "POST", path, key: key.apiKey, headers, body }))
      }),
      { numRuns: 150 },
    )
  },
)

test("a signed webhook takes any JSON", async () => {
  const { sessionId } = await app.startSession(key)
  const event = bodyOf({
    type: fc.constant("verification.completed"),
    data: bodyOf({
      session_id: fc.constantFrom(sessionId, newId("sess")),
      decision: fc.constantFrom("in_review", "resubmission_requested"),
      occurred_at: fc.oneof(
        fc.date({ noInvalidDate: true, min: new Date(-1e14), max: new Date(1e14) }).map((date) => date.toISOString()),
        fc.string(),
      ),
      claims: bodyOf({ country: fc.constant("US"), age_over_18: fc.boolean(), accredited: fc.boolean() }),
      reason: fc.string({ unit: "binary" }),
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: event }, json), async (sent) => {
      const body = JSON.stringify(sent) ?? ""
      const headers = signWebhook(newId("evt"), body)
      expectOurs(await app.request({ method: "POST", path: "/kyc/webhook", headers, body }))
    }),
    RUNS,
  )
})

/** Percent-encodes some of the bytes, in varying ways. */
const encoded = fc.array(
  fc.oneof(
    fc.nat(255).map((byte) => `%${byte.toString(16).padStart(2, "0")}`),
    fc.constantFrom(
      "%",
      "%2",
      "%zz",
      "%2F",
      "%2f",
      "%2e%2e",
      "%00",
      "+",
      "..",
      ".",
      "~",
      "%c0%80",
      "%ed%a0%80",
      "&",
      "=",
    ),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,44}$/),
  ),
  { maxLength: 6 },
)

test("any path parameter gets one of our responses, on every endpoint", async () => {
  const place = fc.constantFrom<[string, (value: string) => string]>(
    ["GET", (value) => `/kyc/status/${value}`],
    ["GET", (value) => `/attestation/${value}`],
    ["POST", (value) => `/attestation/${value}/revoke`],
    ["GET", (value) => `/investor/${value}`],
    ["GET", (value) => `/token/operation/${value}`],
    ["GET", (value) => `/token/balance/${value}?mint_config=us_real_estate_fund_v1`],
    ["GET", (value) => `/mint-config/${value}`],
    ["POST", (value) => `/mint-config/${value}/pause`],
    ["POST", (value) => `/mint-config/${value}/unpause`],
    // Without a name it reaches the default provider.
    ["POST", (value) => `/kyc/webhook/x${value}`],
    ["GET", (value) => `/${value}`],
    ["HEAD", (value) => `/attestation/${value}`],
  )
  await fc.assert(
    fc.asyncProperty(place, encoded, async ([method, path], parts) => {
      const payload = method === "POST" ? { json: { reason: "x" } } : {}
      expectOurs(await app.request({ method, path: path(parts.join("")), key: key.apiKey, ...payload }))
    }),
    RUNS,
  )
})

test("any query gets one of our responses, on every endpoint that reads", async () => {
  const name = fc.oneof(
    fc.constantFrom(
      "limit",
      "cursor",
      "status",
      "schema",
      "pubkey",
      "mint_config",
      "investor",
      "external_id",
      "session",
      "wallet",
      "created_after",
      "created_before",
      "l%69mit",
      "__proto__",
      "limit[]",
      "",
    ),
    encoded.map((parts) => parts.join("")),
  )
  const value = fc.oneof(
    fc.constantFrom(
      "1",
      "0",
      "101",
      "-1",
      "1.5",
      "1e2",
      "0x10",
      "pending",
      "confirmed",
      "us_real_estate_fund_v1",
      newId("inv"),
      "2026-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
      "0000-01-01T00:00:00Z",
      "djE6MQ",
      "djE6OTk5OTk5OTk5OTk5OTk5OTk5",
    ),
    encoded.map((parts) => parts.join("")),
  )
  const query = fc.array(
    fc.tuple(name, value).map(([one, other]) => `${one}=${other}`),
    { maxLength: 4 },
  )
  const path = fc.constantFrom(
    "/attestations",
    "/investors",
    `/investor/${newId("inv")}`,
    `/kyc/status/${newWallet()}`,
    "/usage",
    "/schemas",
    "/health",
    "/token/operations",
    `/token/operation/${newId("op")}`,
    `/token/balance/${newWallet()}`,
    "/mint-configs",
    "/mint-config/us_real_estate_fund_v1",
  )
  await fc.assert(
    fc.asyncProperty(path, query, async (where, pairs) => {
      const target = pairs.length === 0 ? where : `${where}?${pairs.join("&")}`
      expectOurs(await app.request({ method: "GET", path: target, key: key.apiKey }))
    }),
    RUNS,
  )
})

const unminted = { mint_config: "us_real_estate_fund_v1", amount: 1 }

test("any header, sent once or several times, gets one of our responses", async () => {
  const name = fc.constantFrom(
    "authorization",
    "idempotency-key",
    "content-type",
    "content-encoding",
    "x-forwarded-for",
    "x-forwarded-proto",
    "accept",
    "cookie",
    "webhook-id",
    "prefer",
    "x-request-id",
  )
  const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,300}$/)
  const headers = fc.dictionary(name, fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 3 })), {
    maxKeys: 4,
  })
  const endpoint = fc.constantFrom<Sent>(
    { method: "POST", path: "/kyc/start", json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" } },
    { method: "POST", path: "/kyc/webhook", json: {} },
    { method: "POST", path: "/token/mint", json: { ...unminted, user_pubkey: newWallet() } },
    { method: "POST", path: "/mint-config/none_v1/pause", json: {} },
    { method: "GET", path: "/usage" },
    { method: "GET", path: "/health" },
  )
  await fc.assert(
    fc.asyncProperty(endpoint, headers, async (sent, more) => {
      expectOurs(await app.request({ ...sent, key: key.apiKey, headers: more }))
    }),
    RUNS,
  )
})

test("any method on any path gets one of our responses", async () => {
  const method = fc.constantFrom(..."GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND PURGE".split(" "))
  const path = fc.constantFrom(
    "/kyc/start",
    "/kyc/status/x",
    "/kyc/webhook",
    "/attestations",
    "/usage",
    "/health",
    "/token/mint",
    "/token/operation/x",
    "/mint-configs",
    "/x",
  )
  await fc.assert(
    fc.asyncProperty(method, path, async (sent, where) => {
      expectOurs(await app.request({ method: sent, path: where, key: key.apiKey }))
    }),
    { numRuns: 100 },
  )
})

test("any other bytes are answered with our error object or nothing, and the server survives", async () => {
  const line = fc.oneof(
    fc.constantFrom(
      "GET /v1/health HTTP/1.1",
      "GET /v1/health HTTP/1.0",
      "GET /v1/health",
      "POST /v1/kyc/webhook HTTP/1.1",
      "GET http://localhost/v1/health HTTP/1.1",
      "Host: localhost",
      "Content-Length: 3",
      "Content-Length: 99999999999999999999",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: gzip, chunked",
      "Expect: 100-continue",
      "Expect: 200-maybe",
      "Connection: upgrade",
      "Upgrade: h2c",
      " folded",
      ": nameless",
      "",
    ),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
      const answer = await sendRaw(port, bytes, { endAfter: true })
      if (answer === "") return
      expect(answer).toMatch(/^HTTP\/1\.1 (100|200|4\d\d) /)
      if (/^HTTP\/1\.1 4/.test(answer)) expect(answer).toMatch(/\r\nx-request-id: req_/i)
    }),
    RUNS,
  )
})

// Last, because its changes stay.
test.each(Object.entries(changes))("PATCH %s takes any JSON", takesAnyJson("PATCH"))
