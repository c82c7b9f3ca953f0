import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestApp, type TestApp, type TestKey } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { sendRaw } from "#test/fixtures/raw.ts"
import { RateLimiter } from "./rate-limit.ts"
import { monotonic } from "./time.ts"

let app: TestApp
let key: TestKey
const real = monotonic.now
let now = 0

beforeAll(async () => {
  app = await startTestApp({ VOUCH_RATE_LIMIT: "2", VOUCH_ROLE: "web" })
  // The buckets fill by this clock only.
  monotonic.now = () => now
  key = await app.key()
})
afterAll(async () => {
  monotonic.now = real
  await app.stop()
})

const usage = (apiKey: string) => app.request({ method: "GET", path: "/usage", key: apiKey })

test("a key may burst to twice its rate, sees its limit, and continues when tokens are refilled", async () => {
  for (const left of [3, 2, 1, 0]) {
    const { status, headers } = await usage(key.apiKey)
    expect(status).toBe(200)
    expect(headers["ratelimit-policy"]).toBe('"key";q=4;w=2')
    expect(headers.ratelimit).toMatch(new RegExp(`^"key";r=${left};t=[12]$`))
  }
  const refused = await usage(key.apiKey)
  expect(refused).toMatchObject({ status: 429, json: { error: "rate_limited" } })
  expect(refused.headers["retry-after"]).toBe("1")
  expect(refused.headers.ratelimit).toBe('"key";r=0;t=1')
  expect(refused.json.detail).toMatch(/Retry in 1 s/)

  const other = await app.key()
  expect((await usage(other.apiKey)).status).toBe(200)

  now += 500
  expect((await usage(key.apiKey)).status).toBe(200)
  expect((await usage(key.apiKey)).status).toBe(429)
})

test("the rate is checked before the scope, and a refused request changes nothing", async () => {
  const reader = await app.key({ scopes: [] })
  const starting = () => app.request({ method: "POST", path: "/kyc/start", key: reader.apiKey, json: {} })
  for (let i = 0; i < 4; i++) expect((await starting()).json.error).toBe("insufficient_scope")
  expect((await starting()).json.error).toBe("rate_limited")
})

test("wrong keys from one address have a stricter limit, and valid ones do not", async () => {
  const answers = new Set<string>()
  for (let i = 0; i < 101; i++) {
    const { json, headers } = await app.request({ method: "GET", path: "/usage", key: "wrong" })
    answers.add(json.error)
    if (json.error === "rate_limited") expect(Number(headers["retry-after"])).toBeGreaterThan(0)
  }
  expect([...answers]).toEqual(["invalid_api_key", "rate_limited"])
  now += 1000
  expect((await usage(key.apiKey)).status).toBe(200)
})

test("health needs no key and counts against no key", async () => {
  const response = await app.request({ method: "GET", path: "/health" })
  expect(response.headers.ratelimit).toBeUndefined()
})

test("a jump of the wall clock neither fills nor empties a bucket", async () => {
  const { apiKey } = await app.key()
  for (let i = 0; i < 4; i++) expect((await usage(apiKey)).status).toBe(200)
  await advanceClock({ seconds: 3600 })
  expect((await usage(apiKey)).status).toBe(429)
  now += 2000
  await advanceClock({ seconds: -3600 })
  expect((await usage(apiKey)).status).toBe(200)
})

/** The number of consecutive requests before one is refused for the rate of its network. */
async function untilRefused(paths: string[], init: RequestInit = {}, most = 2100): Promise<number> {
  for (let count = 0; count < most; count++) {
    const response = await fetch(`${app.origin}${paths[count % paths.length]}`, init)
    const text = await response.text()
    if (response.status !== 429) continue
    expect(response.headers.get("retry-after")).toBe("1")
    expect(JSON.parse(text)).toMatchObject({ error: "rate_limited" })
    return count
  }
  return most
}

test.each<[string, string[], number, RequestInit?]>([
  [
    "the hosted page, its procedures and the sign-in together",
    ["/verify/x", "/api/trpc/verification.view", "/api/auth/ok", "/api/trpc/setup.options", "/api/nothing"],
    200,
  ],
  ["pages", ["/", "/sign-in", "/docs/errors/x", "/_next/x", "/anything?a=b"], 500],
  ["files of pages", ["/_next/static/a.js"], 2000],
  [
    "paths below /v1 that need no key, found or not",
    ["/v1/health", "/v1/openapi.json", "/v1/openapi.yaml", "/v1/nothing", "/v1/token/mint"],
    500,
  ],
  ["OPTIONS requests", ["/v1/usage"], 500, { method: "OPTIONS" }],
])("without a key or session each network is limited: %s", async (_what, paths, burst, init) => {
  now += 3_600_000
  expect(await untilRefused(paths, init)).toBe(burst)
  // A request with a key, or for something else, is not limited.
  expect((await usage((await app.key()).apiKey)).status).toBe(200)
})

test.each([
  ["for another host", "Host: example.com"],
  ["with two hosts", "Host: localhost\r\nHost: localhost"],
  ["without one", "Accept: */*"],
])("requests refused before routing have the limit of pages: %s", async (_what, headers) => {
  now += 3_600_000
  const port = Number(new URL(app.origin).port)
  const ask = () => sendRaw(port, `GET /v1/health HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)
  const answers: string[] = []
  for (let i = 0; i < 501; i++) answers.push((await ask()).slice(9, 12))
  expect(answers.indexOf("429")).toBe(500)
})

test("a signed-in user has a separate rate and continues when the address is limited", async () => {
  const { browser } = await member(app)
  now += 3_600_000
  expect(await untilRefused(["/"])).toBe(500)
  expect(await untilRefused(["/api/trpc/setup.options"])).toBe(200)
  for (let i = 0; i < 500; i++) {
    const path = i % 2 === 0 ? "/" : "/api/trpc/me.get"
    expect((await browser.fetch(path)).status).not.toBe(429)
  }
  expect((await browser.fetch("/")).status).toBe(429)
  expect((await browser.query("me.get")).error).toMatchObject({ error: "rate_limited" })
})

test.each([
  ["GET", "/api/trpc/setup.options,setup.options?batch=1"],
  ["GET", "/api/trpc/setup.options?batch=1&input=%7B%7D"],
  ["GET", "/api/trpc/setup.options%2Csetup.options?batch=1"],
  ["GET", "/api/trpc/setup.options?x&b%61tch=1"],
  ["POST", "/api/trpc/verification.view,verification.view?batch=1"],
  ["POST", "/api/trpc/verification.view%2cverification.view?batch=1"],
])("a request may contain one call: %s %s is refused before any runs", async (method, path) => {
  now += 3_600_000
  const body = method === "POST" ? JSON.stringify({ 0: { sessionId: "x" }, 1: { sessionId: "x" } }) : null
  const headers = { "content-type": "application/json" }
  const response = await fetch(app.origin + path, { method, body, headers })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: "malformed_request",
    detail: expect.stringMatching(/^batch: /),
  })
})

test("two names in one path are refused", async () => {
  for (const comma of [",", "%2C", "%2c", "%252C"]) {
    const response = await fetch(`${app.origin}/api/trpc/setup.options${comma}setup.options`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { data: { error: "route_not_found" } } })
  }
})

test("a rate of less than one request in two seconds still lets requests through", () => {
  const limiter = new RateLimiter(0.1, 0.2)
  expect(limiter.take("a", 0).allowed).toBe(true)
  expect(limiter.take("a", 9_000).allowed).toBe(false)
  expect(limiter.take("a", 10_000).allowed).toBe(true)
})

test("time that goes backwards removes no tokens", () => {
  const limiter = new RateLimiter(1, 2)
  limiter.take("a", 10_000)
  expect(limiter.take("a", 5_000).allowed).toBe(true)
  expect(limiter.take("a", 5_000).allowed).toBe(false)
})

test("many callers do not fill memory, and do not reset a limited caller who keeps asking", () => {
  const limiter = new RateLimiter(1, 1)
  expect(limiter.take("spent", 0).allowed).toBe(true)
  for (let i = 0; i < 100_000; i++) {
    limiter.take(`caller ${i}`, 0)
    if (i % 5000 === 0) expect(limiter.take("spent", 0).allowed).toBe(false)
  }
  expect(limiter.size).toBeLessThanOrEqual(20_000)
  // Nor a caller who asked just before.
  expect(limiter.take("caller 99999", 0).allowed).toBe(false)
})
