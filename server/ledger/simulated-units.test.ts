import { createAmountToUiAmountInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { operations } from "#server/domain/operations/operations.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { memo, operationMemo } from "#server/solana/memo.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { type RpcProxy, rpcError } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { defineOperation, Operations, unclearEffects } from "./definition.ts"
import { enqueue } from "./operation.ts"
import { LedgerWorker } from "./worker.ts"

// Kinds that Vouch does not have, with a Token-2022 instruction that is not in the measured table. The units that they
// request and use are read from the chain.

const GRANTED = 200_000

const kindNamed = (kind: string) =>
  defineOperation({
    kind,
    label: "Ask for an amount as text",
    isUrgent: false,
    payload: z.object({ mint: z.string() }),
    lookUp: null,
    plan: async (_sql, all, issuer) =>
      new Map(
        all.map(({ id, payload: { mint } }) => {
          const text = memo(operationMemo(id), [deployment.keys(authorityPurpose(issuer.workspaceId)).publicKey])
          const ask = createAmountToUiAmountInstruction(new PublicKey(mint), 5n, TOKEN_2022_PROGRAM_ID)
          return [id, { do: "send", instructions: [text, ask], signers: [] }]
        }),
      ),
    settle: null,
    settleAgain: null,
    release: null,
    memoId: ({ id }) => id,
    effects: unclearEffects,
    rebuild: null,
    attach: null,
    recover: () => ({ do: "retry" }),
  })
const [simulated, unanswered] = [kindNamed("test_simulated"), kindNamed("test_unanswered")]

let cluster: FaultyChain
let node: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let mint: string
let worker: LedgerWorker

beforeAll(async () => {
  cluster = await startFaultyChain()
  node = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: node.url, VOUCH_ROLE: "web" })
  await cluster.fundFeePayers()
  key = await app.key()
  tokens = tokenFixture(app, key)
  worker = new LedgerWorker(deployment.chains.test!, {
    kinds: new Operations([...operations.all, simulated, unanswered]),
    price: { floor: 0, ceiling: 0, percentile: 60 },
    lowFunds: { lowBalanceSol: 0, lowBalanceHours: 0 },
    commitment: "confirmed",
  })
  worker.start()
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, "1")
  const [row] = await sql<{ mint: string }[]>`
    select mint from mint_configs where workspace_id = ${key.workspaceId} and id = ${config}`
  mint = row!.mint
})
afterEach(() => {
  node.fault = null
})
afterAll(async () => {
  await worker.stop()
  await app.stop()
  await cluster.close()
})

/** Runs one operation of a kind, and returns the units that its transaction requested and used on chain. */
async function unitsOf(kind: typeof simulated): Promise<{ asked: number; took: number }> {
  const id = await enqueue(sql, key.workspaceId, kind, { payload: { mint }, writes: [], reads: [] })
  publish("ledger")
  const signature = await waitFor(async () => {
    const [row] = await sql<{ signature: string }[]>`
      select signature from operations where id = ${id} and status = 'confirmed'`
    return row?.signature ?? null
  }, `${id} to be confirmed`)
  const options = { commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const
  const { transaction, meta } = (await cluster.connection.getTransaction(signature, options))!
  // SetComputeUnitLimit: its number, and the units in four bytes.
  const limit = Buffer.from(transaction.message.compiledInstructions[0]!.data)
  expect(limit[0]).toBe(2)
  return { asked: limit.readUInt32LE(1), took: meta!.computeUnitsConsumed! }
}
const simulations = () => node.calls.get("simulateTransaction") ?? 0

test("an unmeasured kind is simulated once, and requests what it used plus a margin", async () => {
  const before = simulations()
  const { asked, took } = await unitsOf(simulated)
  expect(asked).toBeGreaterThanOrEqual(took)
  expect(asked).toBeLessThan(took * 1.2 + 1000)
  expect(simulations()).toBe(before + 1)
  await unitsOf(simulated)
  expect(simulations()).toBe(before + 1)
  // Kinds in the table need no simulation.
  await tokens.wallets(1)
  expect(simulations()).toBe(before + 1)
})

test("without simulation, an operation requests the cluster's default, and the node is not asked again at once", async () => {
  const before = simulations()
  node.fault = async ({ method }, ask) => (method === "simulateTransaction" ? rpcError(-32601) : ask())
  const { asked, took } = await unitsOf(unanswered)
  expect(asked).toBeGreaterThan(GRANTED)
  expect(asked).toBeGreaterThan(took)
  expect(simulations()).toBe(before + 1)
  await unitsOf(unanswered)
  expect(simulations()).toBe(before + 1)
})
