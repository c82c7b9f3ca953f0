import { afterAll, beforeAll, expect, test } from "vitest"
import { RateLimiter } from "#server/rest/rate-limit.ts"
import { clock } from "#server/time.ts"
import { startTestApp, type TestApp, type TestKey } from "#test/app.ts"

let app: TestApp
let key: TestKey
const start = Date.now()
const real = clock.now
let now = start

beforeAll(async () => {
  app = await startTestApp({ VOUCH_RATE_LIMIT: "2", VOUCH_ROLE: "web" })
  // The bucket fills by this clock alone.
  clock.now = () => new Date(now)
  key = await app.key()
})
afterAll(async () => {
  clock.now = real
  await app.stop()
})

const usage = (apiKey: string) => app.request({ method: "GET", path: "/usage", key: apiKey })

test("a key may burst twice its rate, is told where it stands, and goes on when tokens have flowed in", async () => {
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

test("wrong keys from one address are limited more strictly, and right ones are not", async () => {
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

test("health needs no key and counts against none", async () => {
  const response = await app.request({ method: "GET", path: "/health" })
  expect(response.headers.ratelimit).toBeUndefined()
})

test("the hosted page and its procedures are limited per client address, with our error", async () => {
  const answers: number[] = []
  for (let i = 0; i < 201; i++) {
    const path = i % 2 === 0 ? "/verify/x" : "/api/trpc/verification.view"
    const response = await fetch(`${app.origin}${path}`)
    answers.push(response.status)
    if (response.status !== 429) continue
    expect(response.headers.get("retry-after")).toBe("1")
    expect(await response.json()).toMatchObject({ error: "rate_limited" })
  }
  expect(answers.slice(0, 200)).not.toContain(429)
  expect(answers[200]).toBe(429)
  expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
})

test("a rate of less than one request in two seconds still lets requests through", () => {
  const limiter = new RateLimiter(0.1, 0.2)
  expect(limiter.take("a", 0).allowed).toBe(true)
  expect(limiter.take("a", 9_000).allowed).toBe(false)
  expect(limiter.take("a", 10_000).allowed).toBe(true)
})

test("time that goes backwards takes no tokens away", () => {
  const limiter = new RateLimiter(1, 2)
  limiter.take("a", 10_000)
  expect(limiter.take("a", 5_000).allowed).toBe(true)
  expect(limiter.take("a", 5_000).allowed).toBe(false)
})

test("a crowd of callers does not fill memory, and does not free who is out of tokens", () => {
  const limiter = new RateLimiter(1, 1)
  limiter.take("spent", 60_000)
  for (let i = 0; i < 60_000; i++) limiter.take(`caller ${i}`, i < 49_000 ? 0 : 60_000)
  expect(limiter.take("spent", 60_000).allowed).toBe(false)
})
