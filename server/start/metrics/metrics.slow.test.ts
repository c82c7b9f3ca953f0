import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { allScopes } from "#shared/scopes.ts"
import { type FlakyProxy, flakyProxy } from "#test/doubles/flaky-proxy.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { findPromtool, promtool } from "#test/fixtures/promtool.ts"
import { fund, tokenFixture } from "#test/fixtures/tokens.ts"
import { scrape } from "#test/matchers/scrape.ts"

const NAME = "Confidential Customer Ltd"

let app: TestApp
let key: TestKey
let database: FlakyProxy

beforeAll(async () => {
  app = await startTestApp(
    { VOUCH_METRICS_PORT: "0" },
    {
      slowness: 1,
      between: async (url) => {
        database = await flakyProxy(url)
        return database.url
      },
    },
  )
  const { workspaces } = await createAccount({ name: NAME, plan: "enterprise", quota: 0 })
  const workspaceId = workspaces.live
  const made = await createKey({
    workspaceId,
    mode: "live",
    name: "test",
    scopes: allScopes,
    expiresAt: null,
  })
  key = { ...made, workspaceId, mode: "live" }
})
afterAll(() => app.stop())

const read = async () => (await scrape(app.metricsPort!)).values

/** How much metrics grow while something is done. */
async function growth(of: readonly string[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await read()
  await work()
  const counted = async () => {
    const after = await read()
    const grown = of.map((name) => (after.get(name) ?? 0) - (before.get(name) ?? 0))
    return grown.every((one) => one > 0) ? grown : null
  }
  return waitFor(counted, `${of.join(", ")} to grow`)
}

test("a request is counted by its endpoint's template", async () => {
  const status = 'vouch_http_requests_total{method="GET",route="/v1/kyc/status/{pubkey}",status="404"}'
  const lasted = 'vouch_http_request_duration_seconds_count{method="GET",route="/v1/kyc/status/{pubkey}"}'
  const ask = () => app.request({ method: "GET", path: `/kyc/status/${newWallet()}`, key: key.apiKey })
  const grown = await growth([status, lasted], async () => {
    await ask()
    await ask()
  })
  expect(grown).toEqual([2, 2])
})

test("unknown addresses and unknown methods share one label each", async () => {
  const unmatched = 'vouch_http_requests_total{method="GET",route="unmatched",status="404"}'
  const grown = await growth([unmatched], async () => {
    for (const path of ["/v1/nowhere", "/v1/no/where", "/api/trpc/no.procedure", "/api/nowhere"])
      await fetch(`${app.origin}${path}`)
  })
  expect(grown).toEqual([4])
  const odd = 'vouch_http_requests_total{method="other",route="/v1/usage",status="405"}'
  expect(await growth([odd], () => fetch(`${app.origin}/v1/usage`, { method: "PROPFIND" }))).toEqual([1])
})

test("pages and procedures are counted by their kind", async () => {
  const counted = (route: string, status: number) =>
    `vouch_http_requests_total{method="GET",route="${route}",status="${status}"}`
  const names = [
    counted("/verify/{session_id}", 404),
    counted("file", 404),
    counted("page", 404),
    counted("/api/trpc/me.get", 401),
    counted("/.well-known/security.txt", 404),
  ]
  await growth(names, async () => {
    for (const path of [
      "/verify/sess_nobody",
      "/favicon.ico",
      "/a/page",
      "/api/trpc/me.get",
      "/.well-known/security.txt",
    ])
      await fetch(`${app.origin}${path}`)
  })
})

test("refusals are counted by their code, such as a used-up quota", async () => {
  const json = { userPubkey: newWallet(), schemaId: "kyc_individual_v1" }
  const grown = await growth(['vouch_errors_total{code="quota_exceeded"}'], async () => {
    const { status } = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
    expect(status).toBe(429)
  })
  expect(grown).toEqual([1])
})

test("a confirmed mint is counted with its time, its transaction and its RPC calls", async () => {
  const customer = await app.key()
  const { config, wallets, mint } = tokenFixture(app, customer)
  const made = await config()
  const [wallet] = await wallets(1)
  await growth(
    [
      'vouch_operations_total{kind="mint",outcome="confirmed"}',
      'vouch_operation_duration_seconds_count{kind="mint"}',
      'vouch_transactions_total{mode="test",outcome="confirmed"}',
      'vouch_transaction_confirmation_seconds_count{mode="test"}',
      'vouch_rpc_calls_total{mode="test",method="sendTransaction"}',
      'vouch_rpc_seconds_total{mode="test",method="sendTransaction"}',
    ],
    () => mint(made, wallet, "1"),
  )
})

test("waiting operations and workspaces in quarantine are shown until they are done", async () => {
  const customer = await app.key()
  const queued = 'vouch_operations_unfinished{mode="test",status="queued"}'
  const age = 'vouch_oldest_operation_age_seconds{mode="test"}'
  const quarantined = 'vouch_quarantined_workspaces{mode="test"}'
  const shows = (what: string, test: (values: Map<string, number>) => boolean) =>
    waitFor(async () => test(await read()), what)
  await sql`insert into quarantines (workspace_id, since, differences) values (${customer.workspaceId}, now(), '[]')`
  const { post } = tokenFixture(app, customer)
  const asked = post("/mint-configs", fund("waiting_fund"), { headers: { prefer: "respond-async" } })
  await shows("a waiting operation", (values) => values.get(queued) === 1 && values.get(quarantined) === 1)
  await shows("its age", (values) => values.get(age)! >= 1)
  await sql`delete from quarantines where workspace_id = ${customer.workspaceId}`
  expect((await asked).status).toBe(202)
  await shows("nothing waiting", (values) => values.get(queued) === 0 && values.get(age) === 0)
  expect((await read()).get(quarantined)).toBe(0)
})

test("a worker shows its ledgers: fee payers, the chain's slot, clocks, connections", async () => {
  const { text, values } = await scrape(app.metricsPort!)
  expect(text).toMatch(/^vouch_fee_payer_sol\{mode="live",address="\w{32,44}"\} [1-9]/m)
  for (const mode of ["live", "test"]) {
    expect(values.get(`vouch_chain_slot{mode="${mode}"}`)).toBeGreaterThan(0)
    expect(values.get(`vouch_chain_slot_age_seconds{mode="${mode}"}`)).toBeLessThan(30)
    expect(values.get(`vouch_transactions_in_flight{mode="${mode}"}`)).toBe(0)
    expect(values.get(`vouch_audit_differences{mode="${mode}"}`)).toBe(0)
  }
  expect(values.get("vouch_clock_trusted")).toBe(1)
  expect(Math.abs(values.get("vouch_clock_difference_seconds")!)).toBeLessThan(5)
  expect(values.get('vouch_database_connections_max{pool="requests"}')).toBe(13)
  expect(values.get('vouch_database_connections_busy{pool="background"}')).toBeLessThanOrEqual(4)
  expect(values.get("vouch_workers")).toBe(1)
  expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(1e7)
})

test("metrics contain nothing of a customer and no secret", async () => {
  const { text } = await scrape(app.metricsPort!)
  const names = await sql<{ id: string }[]>`select id from workspaces union select id from accounts`
  for (const one of [NAME, key.apiKey, key.keyId, ...names.map(({ id }) => id)]) expect(text).not.toContain(one)
  expect(text).not.toMatch(/postgres:|https?:\/\/(?!prometheus)|sess_(?!ion)|vouch_(live|test)_/)
})

test("promtool accepts the format", async ({ skip }) => {
  const file = findPromtool()
  if (file === null) return skip("promtool is not installed")
  expect(promtool(file, ["check", "metrics"], (await scrape(app.metricsPort!)).text)).toBe("")
})

test("the port serves nothing else and no other method", async () => {
  const at = (path: string, method = "GET") => fetch(`http://127.0.0.1:${app.metricsPort}${path}`, { method })
  expect((await at("/")).status).toBe(404)
  expect((await at("/v1/health")).status).toBe(404)
  expect((await at("/metrics", "POST")).status).toBe(405)
  expect((await at("/metrics", "HEAD")).status).toBe(200)
  expect((await fetch(`${app.origin}/metrics`)).status).toBe(404)
})

test("the port serves the full health report for operators", async () => {
  const answer = await fetch(`http://127.0.0.1:${app.metricsPort}/health`)
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect(await answer.json()).toMatchObject({ checks: { database: "ok" }, ledger: expect.any(Array) })
})

const probe = async (path: string) => (await fetch(`http://127.0.0.1:${app.metricsPort}${path}`)).status

test("a scrape shows that the database is down or silent, and soon drops old metrics", async () => {
  const isUp = async () => (await read()).get("vouch_database_up")
  const depth = 'vouch_operations_unfinished{mode="test",status="queued"}'
  expect(await waitFor(async () => (await isUp()) === 1, "the database to be up")).toBe(true)
  for (const [take, give] of [
    [() => database.cut(), () => database.mend()],
    [() => database.stall(), () => database.flow()],
  ] as const) {
    await take()
    await waitFor(async () => (await isUp()) === 0, "a scrape to report that the database is down")
    // The process is alive, and restarting it would not bring a database back. Requests should go to another server.
    await waitFor(async () => (await probe("/readyz")) === 503, "requests to go elsewhere")
    expect(await probe("/livez")).toBe(200)
    await waitFor(async () => !(await read()).has(depth), "old metrics to disappear")
    await give()
    await waitFor(async () => (await isUp()) === 1, "a scrape to report that it is up")
    expect((await read()).has(depth)).toBe(true)
    await waitFor(async () => (await probe("/readyz")) === 200, "requests to come here again")
  }
})
