import { afterEach, expect, test, vi } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { monotonic } from "#server/lib/time.ts"
import { newWallet, startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { send } from "#test/fixtures/http.ts"
import { sendRaw } from "#test/fixtures/raw.ts"

let app: TestApp
afterEach(() => {
  vi.restoreAllMocks()
  return app.stop()
})

const PUBLIC = { VOUCH_PUBLIC_URL: "https://vouch.example.com", VOUCH_ROLE: "web" }
const overHttps = { host: "vouch.example.com", "x-forwarded-proto": "https" }

const raw = (target: string, headers: string) => {
  const port = Number(new URL(app.origin).port)
  return sendRaw(port, `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)
}

test("a public deployment limits requests without a key even if keys have no limit", async () => {
  vi.spyOn(monotonic, "now").mockReturnValue(0)
  app = await startTestApp({ ...PUBLIC, VOUCH_RATE_LIMIT: "0", VOUCH_TRUSTED_PROXIES: "127.0.0.1" })
  const { apiKey } = await app.key()
  const ask = async (path: string, address: string, headers = {}) => {
    const forwarded = { ...overHttps, "x-forwarded-for": address }
    return (await send(app.origin, { method: "GET", path, headers: { ...forwarded, ...headers } })).status
  }
  const crowd = (path: string, count: number, address: (i: number) => string, headers = {}) =>
    Promise.all(Array.from({ length: count }, (_, i) => ask(path, address(i), headers)))
  // All addresses of one network count as one caller.
  const answers = await crowd("/health", 700, (i) => `2001:db8:1:2::${i.toString(16)}`)
  expect(answers.filter((status) => status === 429).length).toBe(200)
  expect(await ask("/health", "2001:db8:1:3::1")).toBe(200)
  expect(await crowd("/usage", 700, () => "2001:db8:1:2::1", { authorization: `Bearer ${apiKey}` })).not.toContain(429)
})

test("a public deployment takes /v1 over HTTPS only, and redirects everything else to HTTPS", async () => {
  app = await startTestApp({ ...PUBLIC, VOUCH_TRUSTED_PROXIES: "127.0.0.1, ::1" })
  const host = "Host: vouch.example.com\r\n"
  for (const target of ["/v1/health", "/v1/usage", "/v1", "/v1?x=1", "/v1/nothing"]) {
    const answer = await raw(target, host)
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"error":"https_required"/)
    expect(answer).toMatch(/^x-request-id: req_/im)
    expect(answer).toMatch(/^strict-transport-security: max-age=/im)
  }
  const page = await raw("/verify/x?y=1", host)
  expect(page).toMatch(/^HTTP\/1.1 308 /)
  expect(page).toMatch(/^location: https:\/\/vouch\.example\.com\/verify\/x\?y=1\r$/im)
  expect(page).toMatch(/^x-request-id: req_/im)
  expect(page).toMatch(/^strict-transport-security: max-age=/im)
  // The redirect leads to our host, even if the request names another.
  expect(await raw("//evil.example/x", "Host: evil.example\r\n")).toMatch(
    /^location: https:\/\/vouch\.example\.com\/\/evil/im,
  )

  // The last proxy is trusted and says how the request reached it. Earlier entries may be forged.
  expect(await raw("/v1/health", `${host}X-Forwarded-Proto: https\r\n`)).toMatch(/^HTTP\/1.1 200 /)
  expect(await raw("/v1/health", `${host}X-Forwarded-Proto: http, HTTPS\r\n`)).toMatch(/^HTTP\/1.1 200 /)
  for (const proto of ["http", "https, http", "https,", "wss", ""]) {
    expect(await raw("/v1/health", `${host}X-Forwarded-Proto: ${proto}\r\n`)).toMatch(/https_required/)
  }
  const twice = `${host}X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http\r\n`
  expect(await raw("/v1/health", twice)).toMatch(/https_required/)

  // Addresses come from the setting, never from the request.
  const key = await app.key({ mode: "test" })
  const headers = { ...overHttps, host: "evil.example" }
  const started = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    headers,
    json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" },
  })
  // The local network does not replace a chain either: only the test workspace of a local server uses it.
  expect(started.json.session_url).toBe(`https://vouch.example.com/verify/${started.json.session_id}`)

  // In the sandbox anyone can decide their own session, so it never decides a live one.
  const live = await app.key({ mode: "live" })
  const refused = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: live.apiKey,
    headers: overHttps,
    idempotencyKey: "again",
    json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" },
  })
  expect(refused).toMatchObject({ status: 503, json: { error: "provider_not_configured" } })
  expect(refused.json.detail).toMatch(/live mode/)
})

test("forwarding headers count only from a trusted proxy", async () => {
  app = await startTestApp({ ...PUBLIC, VOUCH_TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8" })
  const answer = await raw("/v1/health", "Host: vouch.example.com\r\nX-Forwarded-Proto: https\r\n")
  expect(answer).toMatch(/https_required/)
})

test("without a chain, a public deployment refuses a live session, because the local network does not count", async () => {
  app = await startTestApp({ ...PUBLIC, VOUCH_TRUSTED_PROXIES: "127.0.0.1" })
  // As with a real provider.
  deployment.providers.live = deployment.providers.test
  const sent = (apiKey: string) => ({
    method: "POST",
    path: "/kyc/start",
    key: apiKey,
    headers: overHttps,
    json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" },
  })
  const live = await app.key({ mode: "live" })
  const refused = await app.request(sent(live.apiKey))
  expect(refused).toMatchObject({ status: 503, json: { error: "chain_not_configured" } })
  expect(refused.json.detail).toMatch(/live mode/)
  const inTest = await app.key({ mode: "test" })
  expect((await app.request(sent(inTest.apiKey))).status).toBe(200)
})

test("without a key, the health of a public deployment has three fields and nothing about its nodes", async () => {
  app = await startTestApp({ ...PUBLIC, VOUCH_TRUSTED_PROXIES: "127.0.0.1" })
  const trouble = "live: http://10.0.0.5:8899 answered 502"
  await sql`insert into workers (id, seen_at, trouble, report) values ('one', now() + interval '1 day', ${trouble}, '[]')`
  const { apiKey } = await app.key()
  const health = (headers: Record<string, string>) =>
    app.request({ method: "GET", path: "/health", headers: { ...overHttps, ...headers } })
  const checks = { database: "ok", worker: "ok" }
  const { json: known } = await waitFor(async () => {
    const answer = await health({ authorization: `Bearer ${apiKey}` })
    return answer.json.checks.chain === trouble && answer
  }, "the report")
  expect(known).toMatchObject({ checks, ledger: [] })
  for (const headers of [{}, { authorization: "Bearer nonsense" }, { authorization: `Bearer ${apiKey}x` }]) {
    const { status, json } = await health(headers)
    expect({ status, json }).toEqual({
      status: 200,
      json: { status: "degraded", version: known.version, checks: { ...checks, chain: "degraded" } },
    })
  }
})

test("a public http address is served without a redirect", async () => {
  app = await startTestApp({ ...PUBLIC, VOUCH_PUBLIC_URL: "http://vouch.internal:8080/" })
  expect(await raw("/v1/health", "Host: vouch.internal:8080\r\n")).toMatch(/^HTTP\/1.1 200 /)
  const key = await app.key()
  const { json } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" },
  })
  expect(json.session_url).toBe(`http://vouch.internal:8080/verify/${json.session_id}`)
})
