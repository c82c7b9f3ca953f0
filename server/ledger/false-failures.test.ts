import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { type Fault, noHistory } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { callLocalnet } from "#test/fixtures/test-chain.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

// One wrong number or status of one node must not repeat an operation. A blockhash is valid for 15 s here.

let cluster: FaultyChain
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  cluster = await startFaultyChain({ slotMs: 100 })
  app = await startTestApp({ SOLANA_RPC_URL: cluster.node.url })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const later = { headers: { Prefer: "respond-async" } }
const isDone = async (id: string) => (await tokens.get(`/token/operation/${id}`)).json.status === "confirmed"
const signedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`).length

type Statuses = { result: { context: { slot: number }; value: ({ slot: number } | null)[] } }
const failed = { err: { InstructionError: [3, { Custom: 17 }] }, confirmationStatus: "finalized" }

/** At the first request for statuses, reports everything that landed as failed. */
function failsOnce(otherwise: Fault | null): { fault: Fault; times: () => number } {
  let times = 0
  const fault: Fault = async (call, ask) => {
    if (call.method !== "getSignatureStatuses") return otherwise ? otherwise(call, ask) : ask()
    const reply = (await ask()) as Statuses
    if (times > 0 || !reply.result.value.some((one) => one !== null)) return reply
    times++
    const { context, value } = reply.result
    return { result: { context, value: value.map((one) => one && { ...one, ...failed }) } }
  }
  return { fault, times: () => times }
}

test.each([
  ["that has its history", null],
  ["without history", noHistory],
])("an operation is not repeated because one status of a node %s reports a failure", async (_, otherwise) => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const lie = failsOnce(otherwise)
  cluster.node.fault = lie.fault
  const id = (await tokens.mint(config, wallet, "1", later)).json.operation_id
  await waitFor(() => isDone(id), "the mint to be confirmed")
  cluster.node.fault = null
  expect(lie.times()).toBe(1)
  expect(await signedFor(id)).toBe(1)
  expect(await tokens.onChain(config, wallet)).toBe(1n)
})

test("a node that reports another number as the height expires nothing that may still land", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  let sent: unknown[] = []
  cluster.node.fault = async (call, ask) => {
    if (call.method === "getEpochInfo") {
      const reply = (await ask()) as { result: { blockHeight: number } }
      return { result: { ...reply.result, blockHeight: reply.result.blockHeight + 400 } }
    }
    if (call.method !== "sendTransaction") return ask()
    sent = call.params
    return { result: "held back" }
  }
  const id = (await tokens.mint(config, wallet, "1", later)).json.operation_id
  const doubtOf = async () => {
    const [row] = await sql<{ doubt: string | null }[]>`
      select t.doubt from operations o join transactions t on t.signature = o.signature where o.id = ${id}`
    return row?.doubt ?? null
  }
  expect(await waitFor(doubtOf, "the doubt to be noted")).toMatch(/slots have passed since/)
  await callLocalnet(cluster.url, "sendTransaction", sent)
  await waitFor(() => isDone(id), "the mint to be confirmed")
  cluster.node.fault = null
  expect(await signedFor(id)).toBe(1)
  expect(await tokens.onChain(config, wallet)).toBe(1n)
})
