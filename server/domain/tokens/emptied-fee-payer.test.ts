import { Keypair, LAMPORTS_PER_SOL, SystemProgram } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { startTestChain, type TestChain } from "#test/fixtures/test-chain.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"

// Someone empties a fee payer while it pays for many operations.

const MINTS = 160
/** Below this balance, nothing that gives rights is signed. */
const RESERVE = 0.01 * LAMPORTS_PER_SOL

let cluster: TestChain
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  cluster = await startTestChain()
  app = await startTestApp({ SOLANA_RPC_URL: cluster.url })
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  await fund()
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const feePayer = () => deployment.chains.test!.feePayer
const balance = () => cluster.connection.getBalance(feePayer().publicKey, "confirmed")
const fund = async () => {
  const chains = Object.values(deployment.chains)
  for (const chain of chains) await cluster.connection.requestAirdrop(chain!.feePayer.publicKey, 5 * LAMPORTS_PER_SOL)
  await waitFor(async () => (await balance()) > RESERVE, "the airdrop")
}

/** Keeps withdrawing its balance while it pays for operations. */
async function drain(left: number): Promise<void> {
  const key = feePayer()
  await waitFor(async () => {
    const has = await balance()
    if (has <= left + 10_000) return true
    const { blockhash } = await cluster.connection.getLatestBlockhash("confirmed")
    const toPubkey = Keypair.generate().publicKey
    const given = { fromPubkey: key.publicKey, toPubkey, lamports: has - left - 5000 }
    const instructions = [SystemProgram.transfer(given)]
    const [signed] = await signTransactions([{ instructions, signers: [] }], { feePayer: key, blockhash })
    // Otherwise a node would resend it, even after the fee payer is funded again.
    await cluster.connection.sendRawTransaction(signed!.wire, { skipPreflight: true, maxRetries: 0 })
    return false
  }, "the fee payer to be empty")
}

const count = async (status: string) =>
  (await sql`select from operations where kind = 'mint' and status = ${status}`).length

test.each([0, 900_000, 2_000_000])(
  "a fee payer emptied to %i lamports during many mints and funded again lands each once, and loses nothing that takes rights away",
  async (left) => {
    const config = await tokens.config()
    const wallets = await tokens.wallets(4)
    const revoked = wallets.pop()!
    const { attestation_id } = (await tokens.get(`/kyc/status/${revoked}`)).json
    const before = await count("confirmed")
    const asked = Array.from({ length: MINTS }, (_, n) =>
      tokens.mint(config, wallets[n % wallets.length]!, "1", { headers: { Prefer: "respond-async" } }),
    )
    await waitFor(async () => (await count("confirmed")) > before, "the first to land")
    await drain(left)
    for (const { status } of await Promise.all(asked)) expect([200, 202]).toContain(status)
    expect((await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })).status).toBe(200)
    const isPoor = async () => (await tokens.get("/health")).json.status === "degraded"
    await waitFor(isPoor, "health to report it")
    // Signed transactions may still land, but nothing new is signed.
    await drain(left)
    await fund()
    const isOver = async () => (await count("confirmed")) === before + MINTS
    await waitFor(isOver, "all to land")
    await waitFor(async () => (await credentialOf(app, key, revoked)).amount === 0, "the burn")
    const held = await Promise.all(wallets.map((wallet) => tokens.onChain(config, wallet)))
    expect(held.reduce((sum, one) => sum + one, 0n)).toBe(BigInt(MINTS))
    expect(await tokens.supply(config)).toBe(BigInt(MINTS))
    expect(await sql`select from operations where status = 'failed'`).toHaveLength(0)
    expect(await differences()).toEqual([])
  },
)
