import postgres from "postgres"
import { afterEach, expect, test } from "vitest"
import { connectDatabase, disconnectDatabase } from "#db/client.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { type FlakyProxy, flakyProxy } from "#test/doubles/flaky-proxy.ts"
import { startTestApp, waitFor } from "#test/fixtures/app.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"
import type { Response } from "#test/fixtures/http.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { RequestLog } from "./record.ts"

// These servers stop or lose their database, so each test has its own and reads the log directly.
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const idOf = ({ headers }: Response) => String(headers["x-request-id"])

async function readLog(databaseUrl: string): Promise<{ id: string; error_code: string | null }[]> {
  const sql = postgres(databaseUrl, { ...socketOptions(databaseUrl), max: 1 })
  try {
    return await sql`select id, error_code from api_requests order by at, id`
  } finally {
    await sql.end()
  }
}

test("a stopping server writes the requests it has answered before it exits", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web" })
  const { apiKey } = await app.key()
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => app.request({ method: "GET", path: "/usage", key: apiKey })),
  )
  await app.stop()
  const log = await readLog(app.databaseUrl)
  expect(log.map(({ id }) => id).sort()).toEqual(answers.map(idOf).sort())
})

test("a refusal for too many requests is logged", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web", VOUCH_RATE_LIMIT: "1" })
  const { apiKey } = await app.key()
  const send = () => app.request({ method: "GET", path: "/usage", key: apiKey })
  const answers = await Promise.all([send(), send(), send(), send()])
  await app.stop()
  const refused = answers.filter(({ status }) => status === 429).map(idOf)
  expect(refused.length).toBeGreaterThan(0)
  const log = await readLog(app.databaseUrl)
  expect(log.flatMap(({ id, error_code }) => (error_code === "rate_limited" ? [id] : [])).sort()).toEqual(
    refused.sort(),
  )
})

test("requests answered while the database is down are logged when it is back", async () => {
  let database: FlakyProxy | undefined
  const app = await startTestApp(
    { VOUCH_ROLE: "web" },
    {
      slowness: 1,
      between: async (url) => {
        database = await flakyProxy(url)
        return database.url
      },
    },
  )
  ends.push(() => app.stop())
  const { apiKey } = await app.key()
  const send = () => app.request({ method: "GET", path: "/usage", key: apiKey })
  await send()
  await database!.cut()
  const answer = await send()
  expect(answer.status).toBe(503)
  await database!.mend()
  await waitFor(
    async () => (await readLog(app.databaseUrl)).find(({ id }) => id === idOf(answer)) ?? null,
    "the request to be logged",
  )
})

test("while the database is down the log is bounded: the newest requests are dropped, the others written once", async () => {
  const { url } = await createTestDatabase()
  const between = await flakyProxy(url)
  connectDatabase(between.url, { max: 3 })
  ends.push(disconnectDatabase)
  const { workspaces } = await createAccount({ name: "Away", plan: "free" })
  const { keyId } = await createKey({ workspaceId: workspaces.test, mode: "test", name: "k", scopes: [] })
  const log = new RequestLog({ maxWaiting: 250 })
  const noted = Array.from({ length: 400 }, () => newId("req"))
  await between.cut()
  for (const requestId of noted) {
    log.note({
      ...{ workspaceId: workspaces.test, keyId, requestId, at_ms: Date.now(), duration_us: 1 },
      ...{
        method: "GET",
        onlyReads: true,
        target: "/usage",
        fields: null,
        headers: {},
        received: null,
        status: 200,
        body: "",
      },
    })
  }
  await log.flush()
  await between.mend()
  await waitFor(async () => {
    await Promise.all([log.flush(), log.flush()])
    return (await readLog(url)).length >= 250
  }, "the log to be written")
  await log.stop()
  expect((await readLog(url)).map(({ id }) => id).sort()).toEqual(noted.slice(0, 250).sort())
})

test("waiting requests are bounded in bytes, and hold only headers that the log keeps", async () => {
  const { url } = await createTestDatabase()
  const between = await flakyProxy(url)
  connectDatabase(between.url, { max: 3 })
  ends.push(disconnectDatabase)
  await between.cut()
  const long = "x".repeat(15_000)
  const request = {
    ...{
      workspaceId: newId("ws"),
      keyId: newId("key"),
      at_ms: 0,
      duration_us: 1,
      method: "GET",
      onlyReads: true,
      status: 200,
    },
    ...{ target: "/usage", fields: null, headers: {}, received: null, body: "" },
  }
  for (const part of [
    { target: `/${long}` },
    { headers: { "user-agent": long } },
    { headers: { "idempotency-key": long } },
    { received: Buffer.alloc(15_000) },
    { body: long },
  ]) {
    const log = new RequestLog()
    let count = 0
    for (let before = -1; log.bytes > before; count++) {
      before = log.bytes
      log.note({ ...request, ...part, requestId: newId("req") })
    }
    expect(log.bytes).toBeLessThan(33 * 1024 * 1024)
    expect(count).toBeGreaterThan(2000)
  }
  const log = new RequestLog()
  for (let i = 0; i < 20_001; i++) {
    log.note({ ...request, requestId: newId("req"), headers: { cookie: long, "x-customer": long } })
  }
  expect(log.bytes).toBeLessThan(12 * 1024 * 1024)
  await between.mend()
})

test("a row that cannot be written, or already exists, does not prevent others", async () => {
  const { url } = await createTestDatabase()
  connectDatabase(url, { max: 3 })
  ends.push(disconnectDatabase)
  const { workspaces } = await createAccount({ name: "Lost", plan: "free" })
  const { keyId } = await createKey({ workspaceId: workspaces.test, mode: "test", name: "k", scopes: [] })
  const log = new RequestLog()
  const note = (requestId: string, status = 200) =>
    log.note({
      ...{
        workspaceId: workspaces.test,
        keyId,
        requestId,
        at_ms: Date.now(),
        duration_us: 1,
        method: "GET",
        onlyReads: true,
      },
      ...{ target: "/usage", fields: null, headers: {}, received: null, status, body: "" },
    })
  const [first, second, third] = [newId("req"), newId("req"), newId("req")]
  note(first)
  // Statuses that the table refuses.
  note(newId("req"), 99_999)
  note(second)
  await log.flush()
  // As after a batch whose answer was lost.
  note(first)
  note(third)
  await log.stop()
  expect((await readLog(url)).map(({ id }) => id).sort()).toEqual([first, second, third].sort())
})
