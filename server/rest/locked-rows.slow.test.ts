import postgres from "postgres"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

// Another process locks a customer's row and does not release it, because it hangs or lost its network. That customer
// gets 503 and nothing is begun. Other customers notice nothing.

type Customer = { key: TestKey; tokens: TokenFixture; config: string; wallet: string }

let app: TestApp
let blocked: Customer
let free: Customer
/** Another process's connection, without the limits that the server sets on its own connections. */
let stopped: postgres.Sql

beforeAll(async () => {
  app = await startTestApp({ VOUCH_DATABASE_POOL: "12" }, { slowness: 1 })
  blocked = await customer()
  free = await customer()
  stopped = postgres(app.databaseUrl, { ...socketOptions(app.databaseUrl), max: 1 })
})
afterEach(() => release())
afterAll(async () => {
  await stopped.end()
  await app.stop()
})

async function customer(): Promise<Customer> {
  const key = await app.key({ plan: "growth" })
  const tokens = tokenFixture(app, key)
  const [wallet] = await tokens.wallets(1)
  const config = await tokens.config()
  // A first mint, which creates the wallet's account and holding.
  expect((await tokens.mint(config, wallet!, "1")).status).toBe(200)
  return { key, tokens, config, wallet: wallet! }
}

let release = async () => {}

/** Locks the rows of the statement, in a transaction that then does nothing. */
async function hold(lock: (sql: postgres.TransactionSql) => PromiseLike<unknown>): Promise<void> {
  const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const transaction = stopped.begin(async (sql) => {
    await lock(sql)
    locked.resolve()
    await over.promise
  })
  release = async () => {
    release = async () => {}
    over.resolve()
    await transaction
  }
  await locked.promise
}

const holdConfig = () =>
  hold(
    (sql) => sql`
      select id from mint_configs where workspace_id = ${blocked.key.workspaceId} and id = ${blocked.config} for update`,
  )
const holdUsage = () =>
  hold((sql) => sql`select used from usage_periods where workspace_id = ${blocked.key.workspaceId} for update`)

const start = ({ key }: Customer, wallet = newWallet()) =>
  app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
  })
const mint = ({ tokens, config, wallet }: Customer, more = {}) => tokens.mint(config, wallet, "1", more)

/** Requests of another customer, and public ones, while the first customer's row is locked. */
async function expectOthersServed(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    expect((await mint(free)).status).toBe(200)
    expect((await start(free)).status).toBe(200)
    expect((await free.tokens.get("/usage")).status).toBe(200)
    expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
  }
}

const UNAVAILABLE = { status: 503, json: { error: "database_unavailable" } }

test("mints of a customer whose configuration is locked are refused with nothing begun, and others continue", async () => {
  const before = await blocked.tokens.trace(blocked.config)
  await holdConfig()
  const key = { headers: { "Idempotency-Key": crypto.randomUUID() } }
  const refused = [mint(blocked, key), ...Array.from({ length: 300 }, () => mint(blocked))]
  await expectOthersServed()
  const answers = await Promise.all(refused)
  for (const answer of answers) expect(answer).toMatchObject(UNAVAILABLE)
  // The response to a request with an idempotency key says to repeat it.
  expect(answers.map(({ json }) => json.detail.includes("Idempotency-Key"))).toEqual([true, ...Array(300).fill(false)])
  const lines = app.log.filter((line) => line.includes(answers[0]!.json.request_id))
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([40])
  // No request waits for one lock after another.
  expect(answers.some(({ json }) => json.detail.includes("too many requests waiting"))).toBe(true)
  await release()
  expect(await blocked.tokens.trace(blocked.config)).toEqual(before)
  // The same request again has its effect once.
  const [first, second] = [await mint(blocked, key), await mint(blocked, key)]
  expect(first.status).toBe(200)
  expect(second.text).toBe(first.text)
  expect((await blocked.tokens.trace(blocked.config)).operations).toHaveLength(before.operations.length + 1)
})

test("sessions of a customer whose quota is locked are refused with nothing begun, and others continue", async () => {
  const { used, remaining } = (await blocked.tokens.get("/usage")).json
  await holdUsage()
  const refused = Array.from({ length: 60 }, () => start(blocked))
  await expectOthersServed()
  for (const answer of await Promise.all(refused)) expect(answer).toMatchObject(UNAVAILABLE)
  await release()
  expect((await blocked.tokens.get("/usage")).json).toMatchObject({ used, remaining })
  expect((await start(blocked)).status).toBe(200)
})

test("a change of a locked configuration is refused, and done when requested again", async () => {
  await holdConfig()
  const pause = () => blocked.tokens.post(`/mint-config/${blocked.config}/pause`, {})
  expect(await pause()).toMatchObject(UNAVAILABLE)
  await release()
  expect(await pause()).toMatchObject({ status: 200, json: { paused: true } })
  expect((await blocked.tokens.post(`/mint-config/${blocked.config}/unpause`, {})).status).toBe(200)
})

test("a webhook for a customer whose rows are locked is refused, and applied when it is sent again", async () => {
  const { json } = await start(blocked)
  await hold((sql) => sql`select id from attestations where session_id = ${json.session_id} for update`)
  const event = { session_id: json.session_id, decision: "rejected" }
  const theirs = (await start(free)).json.session_id
  const events = Array.from({ length: 20 }, () => app.webhook(event))
  // From the same provider at the same address.
  expect((await app.webhook({ session_id: theirs, decision: "rejected" })).status).toBe(200)
  await expectOthersServed()
  for (const answer of await Promise.all(events)) expect(answer).toMatchObject(UNAVAILABLE)
  await release()
  expect((await app.webhook(event)).json).toEqual({ received: true, outcome: "applied" })
})

test("what has landed for a customer whose rows are locked is settled afterwards, and others' at once", async () => {
  await app.chain.hold(true)
  const later = { headers: { Prefer: "respond-async" } }
  const begun = await Promise.all(Array.from({ length: 40 }, () => mint(blocked, later)))
  const ids = begun.map(({ json }) => json.operation_id as string)
  const statusOf = async (id: string) => (await blocked.tokens.get(`/token/operation/${id}`)).json.status as string
  await waitFor(
    async () => (await Promise.all(ids.map(statusOf))).every((status) => status === "submitted"),
    "all to be signed",
  )
  const sent = await sql<{ signature: string }[]>`
    select signature from transactions where workspace_id = ${blocked.key.workspaceId} and status = 'saved'`
  expect(sent.length).toBeGreaterThan(0)
  await holdConfig()
  await app.chain.hold(false)
  const signatures = sent.map(({ signature }) => signature)
  await waitFor(
    async () => (await app.connection.getSignatureStatuses(signatures)).value.some((status) => status !== null),
    "the first to land",
  )
  await expectOthersServed()
  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => "submitted"))
  await release()
  await waitFor(
    async () => (await Promise.all(ids.map(statusOf))).every((status) => status === "confirmed"),
    "all to be settled",
  )
})
