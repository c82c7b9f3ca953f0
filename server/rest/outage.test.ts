import { afterAll, beforeAll, expect, test } from "vitest"
import { open, sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { type FlakyProxy, flakyProxy } from "#test/doubles/flaky-proxy.ts"
import { newWallet, signWebhook, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"

let app: TestApp
let key: TestKey
let database: FlakyProxy

beforeAll(async () => {
  app = await startTestApp(
    { VOUCH_ROLE: "web" },
    {
      slowness: 1,
      between: async (url) => {
        database = await flakyProxy(url)
        return database.url
      },
    },
  )
  key = await app.key()
})
afterAll(() => app.stop())

const start = (wallet: string): Sent => ({
  method: "POST",
  path: "/kyc/start",
  key: key.apiKey,
  idempotencyKey: wallet,
  json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
})

/** Text that a caller must never see: SQL, internal names, source locations. */
const INSIDES = /select|insert|relation|column|constraint|postgres|\.ts\b|node_modules|\bat /i

test("internal_error reveals nothing internal, is logged and not stored, and the same key succeeds later", async () => {
  const wallet = newWallet()
  await sql`alter table attestations rename column redirect_url to elsewhere`
  const broken = await app.request(start(wallet))
  await sql`alter table attestations rename column elsewhere to redirect_url`
  expect(broken).toMatchObject({ status: 500, json: { error: "internal_error" } })
  expect(broken.text).not.toMatch(INSIDES)
  expect(broken.headers["x-request-id"]).toBe(broken.json.request_id)
  const logged = app.log.find((line) => line.includes(broken.json.request_id))
  expect(JSON.parse(logged!)).toMatchObject({ level: 50, err: { code: "42703" } })

  const [stored] = await sql<{ count: number }[]>`select count(*)::int from idempotency_records`
  expect(stored!.count).toBe(0)
  const retried = await app.request(start(wallet))
  expect(retried.status).toBe(200)
  expect(retried.headers["idempotent-replayed"]).toBeUndefined()
})

test("while the database is down every request is 503 with Retry-After, and afterwards all succeed", async () => {
  const wallet = newWallet()
  const { sessionId } = await app.startSession(key)
  const event = JSON.stringify({
    type: "verification.completed",
    data: { session_id: sessionId, decision: "rejected", occurred_at: new Date().toISOString() },
  })
  const requests: Sent[] = [
    start(wallet),
    { method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey },
    { method: "GET", path: "/attestations", key: key.apiKey },
    { method: "GET", path: "/usage", key: key.apiKey, headers: { "idempotency-key": "ignored" } },
    { method: "GET", path: `/attestation/${newId("att")}`, key: key.apiKey },
    { method: "POST", path: "/kyc/webhook", headers: signWebhook("evt_1", event), body: event },
  ]
  await database.cut()
  for (const sent of requests) {
    const response = await app.request(sent)
    expect(response).toMatchObject({ status: 503, json: { error: "database_unavailable" } })
    expect(response.headers["retry-after"]).toBe("1")
    expect(response.text).not.toMatch(INSIDES)
    expect(response.json.detail).toMatch(/Retry/)
    // Only endpoints that accept idempotency keys advise a retry with the same key.
    expect(/Idempotency-Key/.test(response.json.detail), sent.path).toBe(sent.idempotencyKey !== undefined)
  }
  // Health is cached for a second.
  const health = await waitFor(async () => {
    const answer = await app.request({ method: "GET", path: "/health" })
    return answer.status === 503 && answer
  }, "health to say so")
  expect(health.json.status).toBe("degraded")
  expect(health.json.checks.database).not.toBe("ok")
  expect(health.text).not.toMatch(INSIDES)

  await database.mend()
  await waitFor(
    async () => (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).status === 200,
    "the database to be used again",
  )
  expect((await app.request(start(wallet))).status).toBe(200)
  // The provider sends its event again, and the first attempt does not block it.
  expect((await app.request(requests.at(-1)!)).json).toEqual({ received: true, outcome: "applied" })
})

test("pages get the same error as REST during an outage, and work again afterwards", async () => {
  const { browser, email, workspaceId } = await member(app)
  const stranger = new Browser(app)
  const { sessionId } = await app.startSession(key)
  const submitted = { sessionId, consent: true, country: "DE", ageOver18: true, accredited: false }
  const post = (path: string, json: unknown): [string, { method: string; body: string }] => [
    path,
    { method: "POST", body: JSON.stringify(json) },
  ]
  const asked: [Browser, string, { method?: string; body?: string }][] = [
    [browser, "/api/trpc/me.get", {}],
    [browser, `/api/trpc/key.list?workspace=${workspaceId}&input=%7B%7D`, {}],
    [browser, `/api/export/attestations.csv?workspace=${workspaceId}`, {}],
    [browser, "/api/auth/get-session", {}],
    [stranger, ...post("/api/trpc/verification.view", { sessionId })],
    [stranger, ...post("/api/trpc/verification.submit", { ...submitted, decision: "approved" })],
    [stranger, ...post("/api/auth/sign-in/email", { email, password: PASSWORD })],
  ]
  await database.cut()
  for (const [who, path, init] of asked) {
    const refused = await who.fetch(path, init)
    expect([path, refused.status]).toEqual([path, 503])
    expect([path, refused.headers.get("retry-after")]).toEqual([path, "1"])
    const answer = await refused.json()
    const said = answer.error?.data ?? answer
    expect(said).toMatchObject({
      error: "database_unavailable",
      detail: expect.stringMatching(/Retry in a moment\.$/),
    })
    expect(JSON.stringify(answer)).not.toMatch(INSIDES)
  }
  await database.mend()
  await waitFor(async () => (await browser.query("me.get")).status === 200, "the session to be read again")
  for (const [who, path, init] of asked) expect([path, (await who.fetch(path, init)).status]).toEqual([path, 200])
})

test("connections that break in the middle of a request are 503, not 500", async () => {
  const { asked } = await sql.begin(async (tx) => {
    await tx`lock table attestations in access exclusive mode`
    const asked = app.request(start(newWallet()))
    const ended = await waitFor(async () => {
      const rows = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`
      return rows.length > 0
    }, "the request to wait")
    expect(ended).toBe(true)
    // In an object, because the transaction would wait for the promise.
    return { asked }
  })
  expect(await asked).toMatchObject({ status: 503, json: { error: "database_unavailable" } })
})

test("a read-only database is 503, shown in health, and left as soon as the primary is reachable", async () => {
  const wallet = newWallet()
  const readOnly = async (value: "on" | "off") => {
    const { pathname } = new URL(app.databaseUrl)
    const admin = open(app.databaseUrl, 1)
    await admin`set default_transaction_read_only = off`
    await admin.unsafe(`alter database "${pathname.slice(1)}" set default_transaction_read_only = ${value}`)
    await admin.end()
  }
  // As after a failover: connections break, and new ones reach a standby.
  await readOnly("on")
  await database.cut()
  await database.mend()
  const written = await waitFor(async () => {
    const answer = await app.request(start(wallet))
    return answer.status !== 200 && answer
  }, "the standby to be met")
  expect(written).toMatchObject({ status: 503, json: { error: "database_unavailable" } })
  // Health may have been checked while no server was reachable.
  const health = await waitFor(async () => {
    const answer = await app.request({ method: "GET", path: "/health" })
    return answer.json.checks.database === "read-only" && answer
  }, "health to say so")
  expect(health).toMatchObject({ status: 503, json: { status: "degraded" } })

  // The primary is reachable again. Connections to the standby do not break, so the server must close them.
  await readOnly("off")
  await waitFor(async () => (await app.request(start(wallet))).status === 200, "the primary to be found")
  await waitFor(async () => {
    const { json } = await app.request({ method: "GET", path: "/health" })
    return json.checks.database === "ok"
  }, "health to be well")
})

test("a database that hangs does not hang /health", async () => {
  database.stall()
  // The last good answer is cached until it is a second old.
  const health = await waitFor(async () => {
    const answer = await app.request({ method: "GET", path: "/health" })
    return answer.status === 503 && answer
  }, "health to notice")
  database.flow()
  expect(health).toMatchObject({ status: 503, json: { status: "degraded" } })
})
