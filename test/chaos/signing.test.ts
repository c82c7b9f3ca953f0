import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { differences } from "#test/matchers/credential.ts"

// Workers die or pause between the steps of a batch. This process runs no worker.

const MINTS = 20
/** Longer than any signing timeout. */
const NEVER_MS = 3_600_000

let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string
let wallet: string
const servers: ShiftedServer[] = []

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  const first = await server()
  ;[wallet] = await tokens.wallets(1)
  config = await tokens.config()
  await first.stop()
})
afterAll(() => app.stop())
afterEach(async () => {
  await app.chain.hold(false)
  for (const one of servers.splice(0)) await one.kill()
})

let before = 0n
beforeEach(async () => {
  before = await tokens.onChain(config, wallet)
})

async function server(changes: Record<string, string> = {}): Promise<ShiftedServer> {
  const started = await startShiftedServer(app, 0, { VOUCH_ROLE: "worker", ...changes })
  servers.push(started)
  return started
}

const mints = () =>
  Promise.all(
    Array.from({ length: MINTS }, async () => {
      const answer = await tokens.mint(config, wallet, "1", { headers: { prefer: "respond-async" } })
      expect(answer.status).toBe(202)
      return answer.json.operation_id as string
    }),
  )

const count = async (ids: string[], status: string) =>
  (await sql`select from operations where id = any(${ids}) and status = ${status}`).length

/** Checks that each operation took effect once and that reconciliation finds nothing unknown. */
async function expectOnce(ids: string[]): Promise<void> {
  await waitFor(async () => (await count(ids, "confirmed")) === ids.length, "all operations to be confirmed")
  expect(await tokens.onChain(config, wallet)).toBe(before + BigInt(ids.length))
  expect(await differences()).toEqual([])
}

test("when a worker is killed while it signs, it has sent nothing and another worker takes over", async () => {
  const first = await server({ TEST_SIGN_MS: String(NEVER_MS) })
  const signing = first.heard("signing")
  const ids = await mints()
  await signing
  await first.kill()
  expect(await count(ids, "queued")).toBe(MINTS)
  await server()
  await expectOnce(ids)
})

test("when a worker is killed between two signatures of a slow key, another worker finishes the work", async () => {
  const first = await server({ TEST_SIGN_MS: "200" })
  const ids = await mints()
  await waitFor(async () => (await count(ids, "queued")) < MINTS, "some transactions to be saved")
  const more = await Promise.all([mints(), first.heard("signing")])
  await first.kill()
  await server()
  await expectOnce([...ids, ...more[0]])
})

test("another worker sends transactions that were saved but never sent", async () => {
  await app.chain.hold(true)
  const first = await server()
  const ids = await mints()
  await waitFor(async () => (await count(ids, "submitted")) === MINTS, "all transactions to be saved")
  await first.kill()
  await app.chain.hold(false)
  await server()
  await expectOnce(ids)
})

test("a worker that pauses while it signs loses its lease, and saves nothing when it continues", async () => {
  const first = await server({ TEST_SIGN_MS: "100" })
  const signing = first.heard("signing")
  const ids = await mints()
  await signing
  first.signal("SIGSTOP")
  const rest = await count(ids, "queued")
  expect(rest).toBeGreaterThan(0)
  await server()
  await waitFor(async () => (await count(ids, "confirmed")) === MINTS, "another worker to do it")
  first.signal("SIGCONT")
  await waitFor(async () => first.output().includes("the signer took longer"), "the first worker to notice")
  await expectOnce(ids)
})
