import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { sleep } from "#server/lib/time.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import type { RpcProxy } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"

// A chain whose node counts its calls: public nodes allow about ten a second.

let cluster: FaultyChain
let node: RpcProxy
let app: TestApp

beforeAll(async () => {
  cluster = await startFaultyChain({ slotMs: 200 })
  node = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: node.url })
  await cluster.fundFeePayers()
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const callsSoFar = () => [...node.calls.values()].reduce((sum, count) => sum + count, 0)

test("a mint takes a dozen calls until it is final, and an idle server makes one call a second", async () => {
  const key = await app.key()
  const tokens = tokenFixture(app, key)
  const { wallet } = await app.verifiedWallet(key)
  const config = await tokens.config()
  const isFinal = async (id: string) => (await tokens.get(`/token/operation/${id}`)).json.finalized_at !== null
  const first = await tokens.mint(config, wallet, "1")
  await waitFor(() => isFinal(first.json.operation_id), "earlier transactions to be final")
  const uncounted = () => sql`
    select from transactions where status in ('confirmed', 'failed') and fee is not null and counted_at is null`
  await waitFor(async () => (await uncounted()).length === 0, "its cost to be counted")

  node.calls.clear()
  const began = performance.now()
  await sleep(5000)
  const seconds = (performance.now() - began) / 1000
  // A call at both ends of a second makes two of them.
  expect(callsSoFar()).toBeLessThanOrEqual(seconds + 1)

  node.calls.clear()
  const { json } = await tokens.mint(config, wallet, "1")
  await waitFor(() => isFinal(json.operation_id), "it to be final")
  const { getMultipleAccounts = 0 } = Object.fromEntries(node.calls)
  expect(callsSoFar() - getMultipleAccounts).toBeLessThanOrEqual(12)
})
