import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { type RpcProxy, replying } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

// A chain whose fee payers no one else funds, behind a node that can drop its history.
let cluster: FaultyChain
let proxy: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
const FUNDED = 10 * LAMPORTS_PER_SOL

beforeAll(async () => {
  cluster = await startFaultyChain()
  proxy = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: proxy.url, VOUCH_PRIORITY_FEE_MICROLAMPORTS: "1234" })
  key = await app.key()
  tokens = tokenFixture(app, key)
  await app.connection.requestAirdrop(deployment.chains.test!.feePayer.publicKey, FUNDED)
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

type Transaction = { signature: string; status: string; fee: string; rent: string; counted_at: Date | null }
const transactions = () => sql<Transaction[]>`
  select signature, status, fee::text, rent::text, counted_at from transactions order by created_at`
const untilCounted = () =>
  waitFor(async () => {
    const all = await transactions()
    const busy = await sql`select from operations where status in ('queued', 'submitted') limit 1`
    return busy.length === 0 && all.every(({ counted_at }) => counted_at !== null)
  }, "everything to be counted")
const sums = async () => {
  const [row] = await sql<{ operations: string; transactions: string; months: string }[]>`
    select (select sum(fee + rent)::text from operations) as operations,
      (select sum(fee + rent)::text from transactions where counted_at is not null) as transactions,
      (select sum(fee + rent)::text from chain_costs) as months`
  return row!
}
const spent = async () =>
  FUNDED - (await app.connection.getBalance(deployment.chains.test!.feePayer.publicKey, "confirmed"))

test("costs of operations, months and the fee payer add up to the lamport", async () => {
  const config = await tokens.config()
  const [alice, bob, carol] = await tokens.wallets(3)
  const async = { headers: { Prefer: "respond-async" } }
  // Some share transactions, and one opens an account that others use.
  const begun = await Promise.all(
    [alice!, alice!, alice!, bob!, alice!, bob!, alice!].map((wallet) => tokens.mint(config, wallet, "1", async)),
  )
  for (const { json } of begun) {
    const read = () => tokens.get(`/token/operation/${json.operation_id}`)
    await waitFor(async () => (await read()).json.status === "confirmed", "the mint")
  }
  await tokens.transfer(config, alice!, carol!, "1")
  await tokens.transfer(config, alice!, bob!, "1")
  const { attestation_id } = (await tokens.get(`/kyc/status/${carol}`)).json
  await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  await untilCounted()

  const all = await transactions()
  for (const { signature, fee, rent } of all) {
    const { meta } = (await app.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))!
    const paid = meta!.preBalances[0]! - meta!.postBalances[0]!
    expect({ signature, fee, rent }).toEqual({ signature, fee: `${meta!.fee}`, rent: `${paid - meta!.fee}` })
  }
  const { operations, transactions: counted, months } = await sums()
  expect([operations, counted, months]).toEqual([operations, operations, operations])
  expect(Number(operations)).toBe(await spent())

  const { chain } = (await tokens.get("/usage")).json
  expect(BigInt(chain.fee_lamports) + BigInt(chain.rent_lamports)).toBe(BigInt(operations))
  expect(chain).toMatchObject({ transactions: all.length, budget_lamports: null })
  const costs = await Promise.all(
    begun.map(async ({ json }) => (await tokens.get(`/token/operation/${json.operation_id}`)).json.cost),
  )
  // Each account once, however many operations could have opened it.
  expect(costs.filter(({ rent_lamports }) => rent_lamports !== "0")).toHaveLength(2)
  expect(costs.every(({ fee_lamports }) => Number(fee_lamports) > 0)).toBe(true)
})

test("a transaction that no node returns is requested again, and finally counts at its highest possible cost", async () => {
  const config = await tokens.config()
  const [read, missing] = await tokens.wallets(2)
  await untilCounted()
  const costOf = async (id: string) => (await tokens.get(`/token/operation/${id}`)).json.cost
  proxy.fault = replying({ result: null }, ["getTransaction"])
  const first = (await tokens.mint(config, read!, "1")).json.operation_id
  await waitFor(async () => (proxy.calls.get("getTransaction") ?? 0) > 1, "the transaction to be requested")
  expect(await costOf(first)).toBeNull()
  proxy.fault = null
  await waitFor(async () => (await costOf(first)) !== null, "the cost to be known")
  const exact = BigInt((await costOf(first)).rent_lamports)

  proxy.fault = replying({ result: null }, ["getTransaction"])
  const second = (await tokens.mint(config, missing!, "1")).json.operation_id
  expect(await costOf(second)).toBeNull()
  await advanceClock({ seconds: 3700 })
  await waitFor(async () => (await costOf(second)) !== null, "the highest possible cost to be counted")
  expect(BigInt((await costOf(second)).rent_lamports)).toBeGreaterThanOrEqual(exact)
})
