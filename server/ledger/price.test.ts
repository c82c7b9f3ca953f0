import { ComputeBudgetInstruction, ComputeBudgetProgram, LAMPORTS_PER_SOL, Transaction } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { type RpcProxy, replying } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

const PAID = 5000

let cluster: FaultyChain
let proxy: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  cluster = await startFaultyChain()
  proxy = cluster.node
  const fees = [0, PAID, PAID, PAID].map((prioritizationFee, slot) => ({ slot, prioritizationFee }))
  proxy.fault = replying({ result: fees }, ["getRecentPrioritizationFees"])
  app = await startTestApp({ SOLANA_RPC_URL: proxy.url })
  key = await app.key()
  tokens = tokenFixture(app, key)
  await app.connection.requestAirdrop(deployment.chains.test!.feePayer.publicKey, 10 * LAMPORTS_PER_SOL)
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

/** The prices that an operation's transactions offered, in order. */
async function pricesOf(operationId: string): Promise<number[]> {
  const rows = await sql<{ wire: Buffer }[]>`
    select wire from transactions where layout @> jsonb_build_array(jsonb_build_array(${operationId}::text))
    order by created_at`
  return rows.flatMap(({ wire }) =>
    Transaction.from(wire)
      .instructions.filter(({ programId }) => programId.equals(ComputeBudgetProgram.programId))
      .filter((one) => ComputeBudgetInstruction.decodeInstructionType(one) === "SetComputeUnitPrice")
      .map((one) => Number(ComputeBudgetInstruction.decodeSetComputeUnitPrice(one).microLamports)),
  )
}

test("a transaction offers what others pay, and twice as much when it is signed again", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const first = (await tokens.mint(config, wallet, "1")).json.operation_id
  expect((await pricesOf(first)).at(-1)).toBeLessThanOrEqual(PAID)
  expect((await pricesOf(first)).at(-1)).toBeGreaterThan(PAID / 4)

  await cluster.hold(true)
  const { json } = await tokens.mint(config, wallet, "1", { headers: { Prefer: "respond-async" } })
  const stand = async () => {
    const [row] = await sql<{ status: string; expiries: number }[]>`
      select status, expiries from operations where id = ${json.operation_id}`
    return row!
  }
  await waitFor(async () => (await stand()).status === "submitted", "the mint to be sent")
  await cluster.pass(250)
  await waitFor(async () => (await pricesOf(json.operation_id)).length > 1, "the mint to be signed again")
  await cluster.hold(false)
  await waitFor(async () => (await stand()).status === "confirmed", "the mint")
  const [before, after] = await pricesOf(json.operation_id)
  expect(after).toBeGreaterThan(before!)
  expect((await stand()).expiries).toBeGreaterThan(0)
})
