import { setTimeout as sleep } from "node:timers/promises"
import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import type { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { credentialMintKey } from "#server/domain/attestations/credential-accounts.ts"
import type { Principal } from "#server/domain/context.ts"
import { assetMintOf } from "#server/domain/tokens/asset-accounts.ts"
import { applyConfig } from "#server/domain/tokens/configs.ts"
import { readReconcileProgress } from "#server/domain/tokens/reconcile-accounts.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { allScopes } from "#shared/scopes.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"
import { lying } from "#test/liar.ts"
import type { RpcProxy } from "#test/rpc-proxy.ts"
import { fund, type TokenFixture, tokenFixture } from "#test/tokens.ts"
import { startTwistedChain, type TwistedChain } from "#test/twisted-chain.ts"

// One node, and no other to ask: it lies steadily in one kind of answer, and another kind contradicts it.

let cluster: TwistedChain
let node: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string

beforeAll(async () => {
  cluster = await startTwistedChain()
  node = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: node.url, VOUCH_COMMITMENT: "finalized" })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config({}, { transfer_mode: "holder" })
})
afterEach(async () => {
  node.twist = null
  await cluster.hold(false)
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const later = { headers: { Prefer: "respond-async" } }
const one = async () => (await tokens.wallets(1))[0]!
const accountOf = (wallet: Address, of = config) =>
  tokenAccountOf(assetMintOf(key.workspaceId, of), publicKeyOf(wallet))
const credentialOf = (wallet: Address) =>
  tokenAccountOf(credentialMintKey(key.workspaceId, "kyc_individual_v1").publicKey, publicKeyOf(wallet))
const onChain = async (account: PublicKey) => {
  const info = await cluster.connection.getAccountInfo(account)
  return info && unpackAccount(account, info, TOKEN_2022_PROGRAM_ID)
}
const held = async (wallet: Address) => (await onChain(accountOf(wallet)))?.amount ?? 0n
const mintLater = async (wallet: Address) =>
  (await tokens.mint(config, wallet, "1", later)).json.operation_id as string
const operationOf = async (id: string) => {
  const [row] = await sql<{ status: string; doubt: string | null }[]>`
    select o.status, t.doubt from operations o left join transactions t on t.signature = o.signature
    where o.id = ${id}`
  return row!
}
const isDoubted = (id: string) =>
  waitFor(async () => (await operationOf(id)).doubt, "the doubt to be told", 40_000)
const becomes = (id: string, status: string) =>
  waitFor(async () => (await operationOf(id)).status === status, `${id} to be ${status}`)
const savedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`)
    .length
async function warp(): Promise<void> {
  await cluster.pass(400)
  await sleep(1000)
}
const revoke = async (wallet: Address) => {
  const { json } = await tokens.get(`/attestations?pubkey=${wallet}`)
  const answer = await tokens.post(`/attestation/${json.data[0].attestation_id}/revoke`, { reason: "test" })
  expect(answer.status).toBe(200)
}
const ended = (kind: string, wallet: Address) =>
  waitFor(async () => {
    const [row] = await sql<{ signature: string | null }[]>`
      select signature from operations where kind = ${kind} and wallet = ${wallet} and status = 'confirmed'
      order by seq desc limit 1`
    return row ?? null
  }, `${kind} to end`)

test("that something landed is not believed of its status alone", async () => {
  const wallet = await one()
  await cluster.hold(true)
  const { stop } = lying(node, { everythingLanded: true })
  const id = await mintLater(wallet)
  await becomes(id, "submitted")
  await warp()
  expect(await isDoubted(id)).toMatch(/no history lists it, but the node tells of it when it is asked/)
  await cluster.hold(false)
  stop()
  await becomes(id, "confirmed")
  expect([await savedFor(id), await held(wallet)]).toEqual([2, 1n])
})

test("a list that leaves it out is not believed where the node tells the transaction itself", async () => {
  const wallet = await one()
  const slot = await cluster.connection.getSlot("confirmed")
  const { stop } = lying(node, { nothingSince: slot, transactions: true })
  const id = await mintLater(wallet)
  await waitFor(async () => (await held(wallet)) === 1n, "it to land")
  await warp()
  expect(await isDoubted(id)).toMatch(/no history lists it, but the node tells of it when it is asked/)
  expect(await savedFor(id)).toBe(1)
  stop()
  await becomes(id, "confirmed")
  expect([await savedFor(id), await held(wallet)]).toEqual([1, 1n])
})

test("what the node does not show is destroyed and frozen all the same, where the books have it", async () => {
  const wallet = await one()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const [credential, asset] = [credentialOf(wallet), accountOf(wallet)]
  lying(node, { absent: new Set([credential.toBase58(), asset.toBase58()]) })
  await revoke(wallet)
  await waitFor(async () => (await onChain(credential))?.amount === 0n, "it to be destroyed")
  await waitFor(async () => (await onChain(asset))?.isFrozen ?? false, "it to be frozen")
})

test("what is not there ends after one attempt that the chain itself refuses", async () => {
  const wallet = await one()
  const id = (await tokens.mint(config, wallet, "5")).json.operation_id as string
  await becomes(id, "confirmed")
  // As if somebody had taken the unit away with our key, and the books had never heard of it.
  await revoke(wallet)
  expect((await ended("revoke", wallet)).signature).not.toBeNull()
  const [row] = await sql<{ attestation_id: string }[]>`
    select attestation_id from operations o, jsonb_to_record(o.payload) as p(attestation_id text)
    where kind = 'revoke' and wallet = ${wallet}`
  await sql`
    update credentials set attestation_id = ${row!.attestation_id}
    where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
  await sql`
    update operations set status = 'queued', signature = null, finished_at = null
    where kind = 'revoke' and wallet = ${wallet}`
  await becomes(
    (await sql<{ id: string }[]>`select id from operations where kind = 'revoke' and wallet = ${wallet}`)[0]!
      .id,
    "confirmed",
  )
  expect((await ended("revoke", wallet)).signature).toBeNull()
  const failed = await sql`select from transactions where status = 'failed'`
  expect(failed).toHaveLength(1)
})

test("balances that do not add up to the supply are not taken over", async () => {
  const holder = await tokens.config({}, { transfer_mode: "holder" })
  const wallets = await tokens.wallets(2)
  for (const wallet of wallets) expect((await tokens.mint(holder, wallet, "50")).status).toBe(200)
  const { lies, stop } = lying(node, { empty: new Set([accountOf(wallets[0], holder).toBase58()]) })
  const principal: Principal = {
    ...{ workspaceId: key.workspaceId, mode: key.mode, scopes: new Set(allScopes) },
    via: { kind: "operator" },
  }
  const config = { ...fund(holder), transfer_mode: "agent" as const, rules: {} }
  await applyConfig({ principal, requestId: null }, config)
  const isTold = (line: string) => line.includes("do not add up to the supply") && line.includes(holder)
  await waitFor(async () => app.log.some(isTold), "it to be told")
  expect(lies.said).toBeGreaterThan(1)
  stop()
  const isOver = async () => (await readReconcileProgress(key.workspaceId, holder)).remaining === 0
  await waitFor(isOver, "the books to be read", 40_000)
  const { counters, holdings } = await tokens.trace(holder)
  expect(counters).toEqual({ issued: "100", supply: "100", holders: 2 })
  expect(holdings.map(({ balance }) => Number(balance))).toEqual([50, 50])
})
