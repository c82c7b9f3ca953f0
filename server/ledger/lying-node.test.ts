import { setTimeout as sleep } from "node:timers/promises"
import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import type { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { credentialMintKey } from "#server/domain/attestations/credential-accounts.ts"
import { assetMintOf } from "#server/domain/tokens/asset-accounts.ts"
import { applyConfig } from "#server/domain/tokens/configs.ts"
import { readReconcileProgress } from "#server/domain/tokens/reconcile-accounts.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { allScopes } from "#shared/scopes.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"
import { lying } from "#test/liar.ts"
import { type RpcProxy, replying, rpcProxy } from "#test/rpc-proxy.ts"
import { fund, type TokenFixture, tokenFixture } from "#test/tokens.ts"
import { startTwistedChain, type TwistedChain } from "#test/twisted-chain.ts"

// Two nodes. The first one, which is asked first, lies steadily: all of its answers agree with one another, at every commitment.

let cluster: TwistedChain
let liar: RpcProxy
let honest: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string

beforeAll(async () => {
  cluster = await startTwistedChain()
  liar = cluster.node
  honest = await rpcProxy(cluster.url)
  app = await startTestApp({ SOLANA_RPC_URL: `${liar.url} ${honest.url}` })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
})
afterEach(async () => {
  liar.twist = null
  honest.twist = null
  await cluster.hold(false)
})
afterAll(async () => {
  await app.stop()
  await honest.close()
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
  const [row] = await sql<{ status: string; finalized_at: Date | null; doubt: string | null }[]>`
    select o.status, t.finalized_at, t.doubt from operations o left join transactions t on t.signature = o.signature
    where o.id = ${id}`
  return row!
}
const becomes = (id: string, status: string) =>
  waitFor(async () => (await operationOf(id)).status === status, `${id} to be ${status}`)
const isFinal = async (id: string) => (await operationOf(id)).finalized_at !== null
const savedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`)
    .length
const slotNow = () => cluster.connection.getSlot("confirmed")
/** Longer than finality takes, and so many more looks. */
async function looksPass(count: () => number, times = 3): Promise<void> {
  const from = await slotNow()
  await waitFor(async () => (await cluster.connection.getSlot("finalized")) > from + 64, "it to be final")
  const before = count()
  await waitFor(async () => count() >= before + times, "more looks", 60_000)
}
const calls = (node: RpcProxy, method: string) => () => node.calls.get(method) ?? 0
/** Far ahead, until nothing is signed any more with a blockhash from before: one is kept for a second. */
async function warp(): Promise<void> {
  await cluster.pass(400)
  await sleep(1000)
}
const revoke = async (wallet: Address) => {
  const { json } = await tokens.get(`/attestations?pubkey=${wallet}`)
  const answer = await tokens.post(`/attestation/${json.data[0].attestation_id}/revoke`, { reason: "test" })
  expect(answer.status).toBe(200)
}

test("what one node alone says has landed is not final, and is done again once that is known", async () => {
  const wallet = await one()
  await cluster.hold(true)
  const { stop } = lying(liar, { everythingLanded: true })
  const id = await mintLater(wallet)
  await becomes(id, "confirmed")
  await looksPass(calls(honest, "getSignatureStatuses"))
  expect([await isFinal(id), await held(wallet)]).toEqual([false, 0n])
  await warp()
  await cluster.hold(false)
  stop()
  await waitFor(() => isFinal(id), "it to be there for good")
  expect([await savedFor(id), await held(wallet)]).toEqual([2, 1n])
})

test("what one node alone says is gone is not signed anew", async () => {
  const wallet = await one()
  const slot = await slotNow()
  const { stop } = lying(liar, { nothingSince: slot, absent: new Set([accountOf(wallet).toBase58()]) })
  const id = await mintLater(wallet)
  await waitFor(async () => (await held(wallet)) === 1n, "it to land")
  await warp()
  await waitFor(async () => (await operationOf(id)).doubt !== null, "the doubt to be told")
  expect((await operationOf(id)).doubt).toMatch(/one node lists it, and another one does not/)
  // Nor where the other one cannot be asked.
  honest.twist = replying("drop")
  await looksPass(calls(liar, "getSignaturesForAddress"), 1)
  expect([await savedFor(id), (await operationOf(id)).status]).toEqual([1, "submitted"])
  honest.twist = null
  stop()
  await becomes(id, "confirmed")
  expect([await savedFor(id), await held(wallet)]).toEqual([1, 1n])
})

test("what one node alone says has failed is not signed anew", async () => {
  const wallet = await one()
  const { stop } = lying(liar, { everythingFailed: true })
  const id = await mintLater(wallet)
  await waitFor(async () => (await held(wallet)) === 1n, "it to land")
  await looksPass(calls(honest, "getTransaction"))
  expect([await savedFor(id), (await operationOf(id)).status]).toEqual([1, "submitted"])
  stop()
  await becomes(id, "confirmed")
  expect([await savedFor(id), await held(wallet)]).toEqual([1, 1n])
})

test("a credential that one node alone does not show is destroyed, also where the other one was away", async () => {
  const wallet = await one()
  const account = credentialOf(wallet)
  const { lies, stop } = lying(liar, { absent: new Set([account.toBase58()]) })
  honest.twist = replying("drop")
  await revoke(wallet)
  await looksPass(() => lies.said)
  const [queued] = await sql`select status from operations where kind = 'revoke' and wallet = ${wallet}`
  expect([queued!.status, (await onChain(account))?.amount]).toEqual(["queued", 1n])
  honest.twist = null
  stop()
  await waitFor(async () => (await onChain(account))?.amount === 0n, "it to be destroyed")
})

test("balances that limits rest on are taken over once two nodes tell the same of them, for good", async () => {
  const holder = await tokens.config({}, { transfer_mode: "holder" })
  const [first, second] = await tokens.wallets(2)
  for (const wallet of [first, second]) expect((await tokens.mint(holder, wallet, "50")).status).toBe(200)
  const { lies, stop } = lying(liar, { empty: new Set([accountOf(first, holder).toBase58()]) })
  const author = {
    principal: {
      ...{ workspaceId: key.workspaceId, mode: key.mode, scopes: new Set(allScopes) },
      via: { kind: "operator" as const },
    },
    requestId: null,
  }
  const rules = { max_balance_per_wallet: "60" }
  await applyConfig(author, { ...fund(holder), transfer_mode: "agent", rules })
  await looksPass(() => lies.said)
  const { remaining } = await readReconcileProgress(key.workspaceId, holder)
  expect(remaining).toBeGreaterThan(0)
  expect((await tokens.mint(holder, first, "20")).json.error).toBe("mint_paused")
  stop()
  const isOver = async () => (await readReconcileProgress(key.workspaceId, holder)).remaining === 0
  await waitFor(isOver, "the books to be read")
  const refused = await tokens.mint(holder, first, "20")
  expect([refused.status, refused.json.error]).toEqual([403, "balance_limit_exceeded"])
  expect((await tokens.trace(holder)).counters).toEqual({ issued: "100", supply: "100", holders: 2 })
})
