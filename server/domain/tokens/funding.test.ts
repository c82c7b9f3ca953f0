import { Keypair, LAMPORTS_PER_SOL, SystemProgram } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { deployment } from "#server/domain/deployment.ts"
import { startLocalnet } from "#server/embedded/localnet/server.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"
import { type TokenFixture, tokenFixture } from "#test/tokens.ts"

// A chain that is not the embedded one, whose fee payers nobody funds.
let cluster: Awaited<ReturnType<typeof startLocalnet>>
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  cluster = await startLocalnet({ port: 0, dataDir: null, slotMs: 20, allowFaults: true })
  app = await startTestApp({ SOLANA_RPC_URL: cluster.url })
  key = await app.key()
  tokens = tokenFixture(app, key)
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const chain = () => deployment.chains.test!
const fund = (sol: number) =>
  Promise.all(
    Object.values(deployment.chains).map((one) =>
      one!.connection.requestAirdrop(one!.feePayer.publicKey, sol * LAMPORTS_PER_SOL),
    ),
  )
const health = async () => (await tokens.get("/health")).json
const untilHealth = (status: string) =>
  waitFor(async () => ((await health()).status === status ? health() : null), `health to be ${status}`)

/** Sends away what the fee payer has, but for the fee. */
async function drain(): Promise<void> {
  const { connection, feePayer } = chain()
  const lamports = (await connection.getBalance(feePayer.publicKey, "confirmed")) - 5000
  const { blockhash } = await connection.getLatestBlockhash("confirmed")
  const instructions = [
    SystemProgram.transfer({
      fromPubkey: feePayer.publicKey,
      toPubkey: Keypair.generate().publicKey,
      lamports,
    }),
  ]
  const [signed] = await signTransactions([{ instructions, signers: [] }], { feePayer, blockhash })
  await connection.sendRawTransaction(signed!.wire)
  await waitFor(async () => (await connection.getBalance(feePayer.publicKey, "confirmed")) === 0, "the end")
}

test("without SOL operations wait, health says so, and they go on when it is there", async () => {
  expect(await untilHealth("degraded")).toMatchObject({
    checks: { chain: expect.stringContaining("out of SOL") },
  })
  await fund(5)
  await untilHealth("ok")
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)

  await drain()
  await untilHealth("degraded")
  const accepted = await tokens.mint(config, wallet!, "5", { headers: { Prefer: "respond-async" } })
  expect([accepted.status, accepted.json.status]).toEqual([202, "queued"])
  const read = async () => (await tokens.get(`/token/operation/${accepted.json.operation_id}`)).json
  expect((await read()).error).toBeNull()

  await fund(5)
  await waitFor(async () => (await read()).status === "confirmed", "the mint to be confirmed")
  await untilHealth("ok")
})
