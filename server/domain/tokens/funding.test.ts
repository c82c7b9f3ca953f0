import { Keypair, LAMPORTS_PER_SOL, SystemProgram } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import type { LowPayer } from "#shared/ledger-report.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { startTestChain, type TestChain } from "#test/fixtures/test-chain.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { credentialOf } from "#test/matchers/credential.ts"

// A chain that is not the embedded one, so no one funds its fee payers.
let cluster: TestChain
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  cluster = await startTestChain()
  app = await startTestApp({ SOLANA_RPC_URL: cluster.url })
  key = await app.key()
  tokens = tokenFixture(app, key)
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const chain = () => deployment.chains.test!
const connection = () => cluster.connection
const fund = (sol: number) =>
  Promise.all(
    Object.values(deployment.chains).map((one) =>
      connection().requestAirdrop(one!.feePayer.publicKey, sol * LAMPORTS_PER_SOL),
    ),
  )
const health = async () => (await tokens.get("/health")).json
const untilHealth = (status: string) =>
  waitFor(async () => ((await health()).status === status ? health() : null), `health to be ${status}`)

/** The problems that the workers report about fee payers without SOL. */
const lowPayers = async () => {
  const rows = await sql<{ low: LowPayer[] }[]>`select low_payers as low from workers`
  return rows.flatMap(({ low }) => low).filter(({ mode }) => mode === "test")
}

const balance = () => connection().getBalance(chain().feePayer.publicKey, "confirmed")

/** Sends away the fee payer's balance, except for `left` lamports and the fee. */
async function drain(left = 0): Promise<void> {
  const { feePayer } = chain()
  const lamports = (await balance()) - left - 5000
  const { blockhash } = await connection().getLatestBlockhash("confirmed")
  const instructions = [
    SystemProgram.transfer({
      fromPubkey: feePayer.publicKey,
      toPubkey: Keypair.generate().publicKey,
      lamports,
    }),
  ]
  const [signed] = await signTransactions([{ instructions, signers: [] }], { feePayer, blockhash })
  await connection().sendRawTransaction(signed!.wire)
  await waitFor(async () => (await balance()) === left, "the end")
}

test("without SOL, operations wait, health reports it, and they continue once SOL arrives", async () => {
  // Until the first report, the chain is unknown.
  await expect.poll(async () => (await health()).checks.chain).toContain("out of SOL")
  expect((await health()).status).toBe("degraded")
  await fund(5)
  await untilHealth("ok")
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)

  await drain()
  await untilHealth("degraded")
  const payer = addressOf(chain().feePayer.publicKey)
  await waitFor(async () => (await lowPayers()).length > 0, "the workers to report it")
  expect(await lowPayers()).toEqual([{ mode: "test", address: payer, sol: 0, hours_left: null }])
  const accepted = await tokens.mint(config, wallet!, "5", { headers: { Prefer: "respond-async" } })
  expect([accepted.status, accepted.json.status]).toEqual([202, "queued"])
  const read = async () => (await tokens.get(`/token/operation/${accepted.json.operation_id}`)).json
  expect((await read()).error).toBeNull()

  await fund(5)
  await waitFor(async () => (await read()).status === "confirmed", "the mint to be confirmed")
  await untilHealth("ok")
  await waitFor(async () => (await lowPayers()).length === 0, "the workers to report no problem")
})

test("with SOL for fees only, Vouch takes rights away and gives none", async () => {
  await fund(5)
  await untilHealth("ok")
  const config = await tokens.config()
  const [wallet, other] = await tokens.wallets(2)
  const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json

  await drain(1_000_000)
  await untilHealth("degraded")
  const async = { headers: { Prefer: "respond-async" } }
  const mint = await tokens.mint(config, other!, "5", async)
  await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  const { account } = await credentialOf(app, key, wallet!)
  await waitFor(async () => (await credentialOf(app, key, wallet!)).amount === 0, `the burn of ${account}`)
  expect(await balance()).toBe(990_000)
  const [queued] = await sql<{ status: string; signature: string | null }[]>`
    select status, signature from operations where id = ${mint.json.operation_id}`
  expect(queued).toEqual({ status: "queued", signature: null })

  const payer = chain().feePayer.publicKey.toBase58()
  expect((await health()).checks.chain).toContain(payer)
  const said = app.log.filter((line) => line.includes("out of SOL"))
  expect(said.every((line) => line.includes("send it some"))).toBe(true)
  expect(said.some((line) => line.includes(payer))).toBe(true)
  // One line a minute for each mode.
  expect(said.length).toBeLessThan(10)
  await fund(5)
  await untilHealth("ok")
})

test("with less than a fee, nothing is signed that could never land", async () => {
  await fund(5)
  await untilHealth("ok")
  const [wallet] = await tokens.wallets(1)
  const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json
  const rent = await connection().getMinimumBalanceForRentExemption(0)
  await drain(rent + 5_000)
  await untilHealth("degraded")
  await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  const signed = async () => {
    const [row] = await sql<{ status: string; signature: string | null }[]>`
      select status, signature from operations where kind = 'revoke' and payload->>'attestation_id' = ${attestation_id}`
    return row
  }
  // The balance is read again before each urgent transaction is signed, and each time it is too low.
  const reads = async () => chain().rpc.nodes.metrics.byMethod.get("getMultipleAccounts")?.calls ?? 0
  const before = await reads()
  await waitFor(async () => (await reads()) > before + 3, "the balance to be read")
  expect(await signed()).toEqual({ status: "queued", signature: null })
  await fund(5)
  await waitFor(async () => (await signed())?.status === "confirmed", "the revocation")
  expect((await credentialOf(app, key, wallet!)).amount).toBe(0)
})
