import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { newId } from "#server/lib/ids.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { sql } from "./client.ts"

const HOUR = 3600
const DAY = 24 * HOUR

// This process is the replica that only answers requests, and its clock is right. The other replica is a separate
// process with workers.
let app: TestApp
let key: TestKey
let other: ShiftedServer

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key()
  // Its clock is wrong from the start.
  other = await startShiftedServer(app, 25 * HOUR)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await right()
})
afterAll(async () => {
  await other.stop()
  await app.stop()
})

const start = (idempotencyKey: string, wallet: string) => ({
  method: "POST",
  path: "/kyc/start",
  key: key.apiKey,
  idempotencyKey,
  json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
})
const workerOf = async (server: { health(): Promise<{ checks: { worker: string } }> }) =>
  (await server.health()).checks.worker
const says = (words: RegExp) => waitFor(async () => words.test(await workerOf(other)), `its health to say ${words}`)
/** Its clock is right again, and its workers have noticed. */
async function right(): Promise<void> {
  other.setClock(0)
  await waitFor(async () => (await other.health()).status === "ok", "the replica to be healthy")
  // Wait until it has logged that, or it would not log the next difference.
  const log = () => other.output()
  const hasSaid = async () => log().lastIndexOf("the clocks agree again") >= log().lastIndexOf("until the clocks agree")
  await waitFor(hasSaid, "its log to report it")
}
const statusOf = async (sessionId: string) =>
  (await sql<{ status: string }[]>`select status from attestations where session_id = ${sessionId}`)[0]!.status
const close = (sessionId: string) => sql`
  update attestations set open_until = now() - interval '1 second' where session_id = ${sessionId}`

test("a replica 25 hours ahead replays another replica's answers, and the other replays its answers", async () => {
  other.setClock(25 * HOUR)
  const [otherId, ownId] = [newId("evt"), newId("evt")]
  const [one, two] = [newWallet(), newWallet()]
  const first = await app.request(start(ownId, one))
  const again = await other.request(start(ownId, one))
  expect([again.headers["idempotent-replayed"], again.text]).toEqual(["true", first.text])
  const begun = await other.request(start(otherId, two))
  expect(begun.status).toBe(200)
  await other.sweep()
  const replayed = await app.request(start(otherId, two))
  expect([replayed.headers["idempotent-replayed"], replayed.text]).toEqual(["true", begun.text])
})

test("a replica 25 hours ahead, or behind, expires keys at the right time", async () => {
  const short = await app.key({ expiresAt: new Date(Date.now() + HOUR * 1000) })
  const over = await app.key({ expiresAt: new Date(Date.now() - 1000) })
  const ask = async (seconds: number, { apiKey }: TestKey) => {
    other.setClock(seconds)
    const { status, json } = await other.request({ method: "GET", path: "/usage", key: apiKey })
    return status === 200 ? 200 : json.error
  }
  expect([await ask(25 * HOUR, short), await ask(-25 * HOUR, over)]).toEqual([200, "expired_api_key"])
})

test("a replica whose clock jumps 400 days ahead ends and deletes nothing", async () => {
  const { sessionId } = await app.verifiedWallet(key)
  const open = await app.startSession(key)
  const count = async () => (await sql`select count(*)::int from webhook_events`)[0]!.count
  const before = await count()
  expect(before).toBeGreaterThan(0)
  other.setClock(400 * DAY)
  await other.sweep()
  expect([await statusOf(sessionId), await statusOf(open.sessionId), await count()]).toEqual([
    "verified",
    "pending",
    before,
  ])
  const { json } = await other.request({
    method: "GET",
    path: `/kyc/status/${open.wallet}`,
    key: key.apiKey,
  })
  expect(json.status).toBe("pending")
})

test("a clock that is 10 seconds off shows in the health of both replicas and stops irreversible work", async () => {
  const { sessionId } = await app.startSession(key)
  for (const [seconds, words] of [
    [10, "+10 s"],
    [-10, "-10 s"],
  ] as const) {
    other.setClock(seconds)
    const reason = `this server's clock differs from the database's by ${words}`
    await waitFor(async () => (await workerOf(other)) === reason, "its health to report it")
    await close(sessionId)
    await waitFor(async () => {
      const { json } = await app.request({ method: "GET", path: "/health" })
      return json.status === "degraded" && json.checks.chain === reason
    }, "the other replica to notice")
    await other.sweep()
    expect(await statusOf(sessionId)).toBe("pending")
  }
  const warned = "this server's clock differs from the database's by +10 s: nothing is signed"
  const isWarned = async () => other.output().includes(warned)
  await waitFor(isWarned, "its log to report it")
  expect(other.output().split(warned)).toHaveLength(2)
  await right()
  await waitFor(async () => (await statusOf(sessionId)) === "expired", "the sweep")
})

test("no one signs in or out while the machine's clock is wrong, because the library uses it", async () => {
  const signIn = () =>
    fetch(`${other.origin}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: other.origin },
      body: JSON.stringify({ email: "unknown@example.com", password: "not the right one" }),
    }).then(({ status }) => status)
  expect(await signIn()).toBe(401)
  other.setClock(HOUR)
  await says(/by \+3600 s/)
  expect(await signIn()).toBe(503)
})

test("a ledger whose clock is an hour behind reports why it does not sign, and resumes when the clock is right", async () => {
  other.setClock(-HOUR)
  await says(/by -3600 s/)
  const { wallet, sessionId } = await app.startSession(key)
  await app.webhook({ session_id: sessionId, decision: "approved" })
  // One pass of its loop: the step that reports trouble is the one that would have signed.
  await waitFor(async () => (await sql`select from workers where trouble like '%by -3600 s'`).length > 0, "its report")
  expect(await sql`select from transactions where workspace_id = ${key.workspaceId} and status = 'saved'`).toEqual([])
  expect(await statusOf(sessionId)).toBe("pending")
  await right()
  await app.waitForStatus(key, wallet, "verified")
})

test("if the clock of one ledger is an hour behind, the other one works on", async () => {
  other.setClock(-HOUR)
  const third = await startShiftedServer(app, 0)
  try {
    const { wallet, sessionId } = await app.startSession(key)
    await app.webhook({ session_id: sessionId, decision: "approved" })
    await app.waitForStatus(key, wallet, "verified")
  } finally {
    await third.stop()
  }
})

test("a chain whose clock is off is reported with its mode, and nothing is signed for it", async () => {
  const realNow = Date.now
  // Only this process's local network uses the changed clock.
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + 10_000)
  await waitFor(
    async () => /^the (live|test) chain's clock differs from the database's by \+\d+ s$/.test(await workerOf(other)),
    "its health to report the chain",
  )
  const { wallet, sessionId } = await app.startSession(key)
  await app.webhook({ session_id: sessionId, decision: "approved" }, {})
  await other.sweep()
  expect(await statusOf(sessionId)).toBe("pending")
  vi.restoreAllMocks()
  await app.waitForStatus(key, wallet, "verified")
})
