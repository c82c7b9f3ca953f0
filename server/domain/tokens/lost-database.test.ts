import { afterAll, beforeAll, expect, test } from "vitest"
import { operationWait } from "#server/ledger/index.ts"
import { type FlakyProxy, flakyProxy } from "#test/doubles/flaky-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"

let app: TestApp
let key: TestKey
let database: FlakyProxy

beforeAll(async () => {
  app = await startTestApp(
    {},
    {
      between: async (url) => {
        database = await flakyProxy(url)
        return database.url
      },
    },
  )
  key = await app.key()
})
afterAll(() => app.stop())

test("a mint that is recorded before the database is lost is 202 with its id, and lands once", async () => {
  const tokens = tokenFixture(app, key)
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await app.chain.hold(true)
  operationWait.ms = 2000
  const minted = tokens.mint(config, wallet!, "5")
  const recorded = await waitFor(async () => {
    const { json } = await tokens.get(`/token/operations?pubkey=${wallet}`)
    return json.data[0] ?? false
  }, "the mint to be recorded")
  await database.cut()
  const { status, json } = await minted
  expect([status, json.operation_id]).toEqual([202, recorded.operation_id])
  await database.mend()
  await app.chain.hold(false)
  await waitFor(
    async () => (await tokens.get(`/token/operation/${json.operation_id}`)).json.status === "confirmed",
    "the mint to be confirmed",
  )
  expect(await tokens.onChain(config, wallet!)).toBe(5n)
})
