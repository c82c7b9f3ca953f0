import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import type { PublicKey } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { credentialMintOf } from "#server/domain/attestations/credential-accounts.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"

// Two nodes. The one that is asked first reports no accounts.

let cluster: FaultyChain
let app: TestApp
let key: TestKey

beforeAll(async () => {
  cluster = await startFaultyChain()
  app = await startTestApp({ SOLANA_RPC_URL: `${cluster.node.url} ${cluster.url}` })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const onChain = async (account: PublicKey) =>
  unpackAccount(account, await cluster.connection.getAccountInfo(account), TOKEN_2022_PROGRAM_ID)

test("one node's answers, however many, do not prove that nothing is left to burn or freeze", async () => {
  const tokens = tokenFixture(app, key)
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [wallet] = await tokens.wallets(1)
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const credential = tokenAccountOf(credentialMintOf(key.workspaceId, "kyc_individual_v1"), publicKeyOf(wallet))
  const asset = tokenAccountOf(assetMintOf(key.workspaceId, config), publicKeyOf(wallet))
  const accounts = [credential, asset].map((account) => account.toBase58())
  const lies = new Map(accounts.map((account) => [account, 0]))
  cluster.node.fault = async ({ method, params }, ask) => {
    const reply = await ask()
    if (method !== "getMultipleAccounts" || typeof reply === "string" || !("result" in reply)) return reply
    const { context, value } = reply.result as { context: object; value: unknown[] }
    const faulty = value.map((one, i) => {
      const address = (params[0] as string[])[i]!
      if (!lies.has(address)) return one
      lies.set(address, lies.get(address)! + 1)
      return null
    })
    return { result: { context, value: faulty } }
  }
  const { json } = await tokens.get(`/attestations?pubkey=${wallet}`)
  const id = json.data[0].attestation_id
  expect((await tokens.post(`/attestation/${id}/revoke`, { reason: "test" })).status).toBe(200)
  // This takes longer than finality, so the other node has been asked.
  const from = await cluster.connection.getSlot("confirmed")
  await waitFor(async () => (await cluster.connection.getSlot("finalized")) > from + 64, "it to be final")
  const counts = [...lies.values()]
  await waitFor(async () => [...lies.values()].every((n, i) => n >= counts[i]! + 2), "more checks")
  const queued = await sql<{ kind: string }[]>`
    select kind from operations where workspace_id = ${key.workspaceId} and status = 'queued' order by kind`
  expect(queued.map(({ kind }) => kind)).toEqual(["align_account", "revoke"])
  cluster.node.fault = null
  await waitFor(async () => (await onChain(credential)).amount === 0n, "the credential to be destroyed")
  await waitFor(async () => (await onChain(asset)).isFrozen, "the account to be frozen")
})

test("an operation that certainly has nothing to do ends without a transaction", async () => {
  const tokens = tokenFixture(app, key)
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [wallet] = await tokens.wallets(1)
  // The wallet is in the books, and has no account.
  await sql`
    insert into holdings (workspace_id, mint_config, wallet) values (${key.workspaceId}, ${config}, ${wallet})`
  const { json } = await tokens.get(`/attestations?pubkey=${wallet}`)
  const id = json.data[0].attestation_id
  expect((await tokens.post(`/attestation/${id}/revoke`, { reason: "test" })).status).toBe(200)
  await waitFor(async () => {
    const rows = await sql<{ status: string; signature: string | null }[]>`
      select status, signature from operations where kind = 'align_account' and wallet = ${wallet}`
    return rows[0]?.status === "confirmed" && rows[0].signature === null
  }, "it to end")
})
