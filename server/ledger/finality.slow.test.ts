import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { assetMintOf } from "#server/domain/token-accounts/index.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { type Fault, onFork, type RpcProxy, signatureOf } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { callLocalnet } from "#test/fixtures/test-chain.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { differences } from "#test/matchers/credential.ts"

// A node reports a slot as confirmed, and the chain continues without that slot. Slots are long, so that bytes stay
// valid on a busy machine.

let cluster: FaultyChain
let node: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string

beforeAll(async () => {
  cluster = await startFaultyChain({ slotMs: 50 })
  node = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: node.url })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
})
afterEach(() => {
  node.fault = null
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const read = async (path: string) => (await tokens.get(path)).json
const operation = (id: string) => read(`/token/operation/${id}`)
const isFinal = async (path: string) => (await read(path)).finalized_at !== null
const warp = () => cluster.pass(400)
const one = async () => (await tokens.wallets(1))[0]!

/** Units in an account, read from the chain. */
async function unitsOf(account: string): Promise<bigint> {
  const address = new PublicKey(account)
  const info = await cluster.connection.getAccountInfo(address)
  return info === null ? 0n : unpackAccount(address, info, TOKEN_2022_PROGRAM_ID).amount
}

const transactionsOf = async (id: string) => {
  const rows = await sql<{ status: string }[]>`
    select status from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))
    order by created_at`
  return rows.map(({ status }) => status)
}

/** The node follows the main chain again. What was sent to it before is lost. */
async function forkIsLeft(): Promise<void> {
  const rows = await sql<{ signature: string }[]>`select signature from transactions`
  const lost = new Set(rows.map(({ signature }) => signature))
  const swallows: Fault = async ({ method, params }, ask) => {
    const sent = method === "sendTransaction" ? signatureOf(params[0] as string) : null
    return sent !== null && lost.has(sent) ? { result: sent } : ask()
  }
  node.fault = swallows
  await warp()
}

/** Waits until the server has noticed that it vanished. From then on the node answers truthfully. */
async function isMissed(signature: string): Promise<void> {
  const isSaid = (line: string) => line.includes("has vanished") && line.includes(signature)
  await waitFor(async () => app.log.some(isSaid), `${signature} to be missed`)
  node.fault = null
}

test("a confirmed transaction shows when it is final", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  const { json } = await tokens.mint(config, wallet, "1")
  expect((await operation(json.operation_id)).confirmed_at).not.toBeNull()
  await waitFor(() => isFinal(`/token/operation/${json.operation_id}`), "the mint to be final")
  await waitFor(() => isFinal(`/attestation/${status.attestation_id}`), "the attestation to be final")
  const { data } = await read(`/attestations?pubkey=${wallet}`)
  expect(data[0].finalized_at).not.toBeNull()
})

test("a transaction that vanished while its bytes are valid is sent again, and nothing is signed", async () => {
  const wallet = await one()
  node.fault = onFork()
  const { status, json } = await tokens.mint(config, wallet, "1")
  expect(status).toBe(200)
  expect((await operation(json.operation_id)).finalized_at).toBeNull()
  node.fault = null
  await waitFor(() => isFinal(`/token/operation/${json.operation_id}`), "it to be final")
  expect(await transactionsOf(json.operation_id)).toEqual(["confirmed"])
  expect((await operation(json.operation_id)).onchain_tx).toBe(json.onchain_tx)
  await expectHeld(wallet, 1n)
})

test("a mint and a transfer that vanished permanently are redone once, and the books do not change", async () => {
  const [from, to] = await tokens.wallets(2)
  node.fault = onFork()
  const { json: mint } = await tokens.mint(config, from, "5")
  const { json: transfer } = await tokens.transfer(config, from, to, "2")
  const books = await booksOf()
  await forkIsLeft()
  await isMissed(mint.onchain_tx)
  for (const { operation_id } of [mint, transfer])
    await waitFor(() => isFinal(`/token/operation/${operation_id}`), `${operation_id} to be final`)
  expect(await transactionsOf(mint.operation_id)).toEqual(["expired", "confirmed"])
  expect((await operation(mint.operation_id)).onchain_tx).not.toBe(mint.onchain_tx)
  await expectHeld(from, 3n)
  await expectHeld(to, 2n)
  expect(await booksOf()).toEqual(books)
  // Each has one posting for each wallet, dated by the slot in which it is final.
  const postings = () => sql<{ wallet: string; delta: string; landed_at: Date | null; is_right: boolean }[]>`
    select p.wallet, p.delta, p.landed_at, p.slot = t.slot as is_right from postings p
    join operations o on o.workspace_id = p.workspace_id and o.id = p.operation_id
    join transactions t on t.signature = o.signature
    where p.workspace_id = ${key.workspaceId} and p.wallet = any(${[from, to]}) order by p.operation_id, p.delta`
  await waitFor(async () => (await postings()).every(({ landed_at }) => landed_at !== null), "the postings to be dated")
  const posted = await postings()
  expect(posted.map(({ delta }) => Number(delta)).toSorted()).toEqual([-2, 2, 5].toSorted())
  expect(posted.every(({ is_right }) => is_right)).toBe(true)
})

test("a vanished transaction costs nothing: spending equals what the chain took, and each operation has its cost once", async () => {
  const counted = async () =>
    (
      await sql`
      select from transactions where fee is not null and counted_at is null and status in ('confirmed', 'failed')`
    ).length === 0
  const costs = async () => {
    const [row] = await sql<{ months: string; operations: string }[]>`
      select (select sum(fee + rent) from chain_costs)::text as months,
        (select sum(fee + rent) from operations)::text as operations`
    return row!
  }
  const payers = Object.values(deployment.chains).map((chain) => chain!.feePayer.publicKey)
  const balance = async () => {
    const each = await Promise.all(payers.map((payer) => cluster.connection.getBalance(payer)))
    return each.reduce((sum, one) => sum + one, 0)
  }
  const wallet = await one()
  await settled()
  await waitFor(counted, "everything to be counted")
  const [before, costsBefore] = [await balance(), await costs()]
  expect(costsBefore.operations).toBe(costsBefore.months)
  node.fault = onFork()
  const { json } = await tokens.mint(config, wallet, "1")
  await forkIsLeft()
  await isMissed(json.onchain_tx)
  await waitFor(() => isFinal(`/token/operation/${json.operation_id}`), "it to be final")
  expect(await transactionsOf(json.operation_id)).toEqual(["expired", "confirmed"])
  await waitFor(counted, "everything to be counted")
  const after = await costs()
  expect(after.operations).toBe(after.months)
  expect(Number(after.months) - Number(costsBefore.months)).toBe(before - (await balance()))
})

test("a burn that can't be redone yet waits for the tokens, and holds up nothing else", async () => {
  const open = await tokens.config({}, { transfer_mode: "holder" })
  const pair = Keypair.generate()
  const holder = addressOf(pair.publicKey)
  await app.verifiedWallet(key, holder)
  const other = await one()
  for (const wallet of [holder, other]) await tokens.mint(open, wallet, "10")
  await cluster.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  await settled()

  node.fault = onFork()
  const redemption = { reason_code: "redemption", reference: "Order 4711", holder_consent: true }
  const { json: burn } = await tokens.post("/token/burn", {
    ...{ user_pubkey: holder, mint_config: open, amount: "8", ...redemption },
  })
  await forkIsLeft()
  await sendOwn(cluster.connection, [pair], ownTransfer(open, pair, other, 6n))
  await isMissed(burn.onchain_tx)
  await waitFor(async () => (await refusals(burn.operation_id)) > 3, "the burn to be refused")
  expect(await differences()).toEqual([])

  expect((await tokens.transfer(open, other, holder, "1")).status).toBe(200)
  expect((await tokens.mint(open, holder, "5")).status).toBe(200)
  await waitFor(() => isFinal(`/token/operation/${burn.operation_id}`), "the burn")
  expect([await tokens.onChain(open, holder), await tokens.onChain(open, other)]).toEqual([2n, 15n])
})

test("a credential that vanished is issued again under the same proof", async () => {
  node.fault = onFork()
  const { status } = await app.verifiedWallet(key)
  const path = `/attestation/${status.attestation_id}`
  const before = await read(path)
  await forkIsLeft()
  await isMissed(before.onchain_tx)
  await waitFor(() => isFinal(path), "it to be final")
  const after = await read(path)
  expect(after).toMatchObject({ status: "verified", onchain: before.onchain, expires_at: before.expires_at })
  expect(after.onchain_tx).not.toBe(before.onchain_tx)
  expect(await unitsOf(after.onchain.token_account)).toBe(1n)
})

test("a vanished credential that was revoked is not issued again, and a vanished revocation is redone", async () => {
  node.fault = onFork()
  const { status } = await app.verifiedWallet(key)
  const path = `/attestation/${status.attestation_id}`
  const { token_account } = (await read(path)).onchain
  await forkIsLeft()
  await tokens.post(`${path}/revoke`, { reason: "A test" })
  node.fault = null
  await settled()
  expect(await unitsOf(token_account)).toBe(0n)

  const { status: next } = await app.verifiedWallet(key)
  const account = (await read(`/attestation/${next.attestation_id}`)).onchain.token_account
  node.fault = onFork()
  await tokens.post(`/attestation/${next.attestation_id}/revoke`, { reason: "A test" })
  await settled()
  expect(await unitsOf(account)).toBe(1n)
  await forkIsLeft()
  await waitFor(async () => (await unfinal()) === 0, "what was on the fork to be found missing")
  node.fault = null
  await waitFor(async () => (await unitsOf(account)) === 0n, "the credential to be burned")
})

test("a failure that is not final does not count, because the same bytes may still land", async () => {
  const wallet = await one()
  node.fault = onFork({ err: { InstructionError: [4, { Custom: 1 }] } })
  const { json } = await tokens.mint(config, wallet, "1", { headers: { Prefer: "respond-async" } })
  await waitFor(async () => (await operation(json.operation_id)).status === "submitted", "it to be sent")
  node.calls.clear()
  await waitFor(async () => (node.calls.get("getSignatureStatuses") ?? 0) > 1, "the failure to be reported")
  expect((await operation(json.operation_id)).status).toBe("submitted")
  node.fault = null
  await waitFor(() => isFinal(`/token/operation/${json.operation_id}`), "it to land")
  expect(await transactionsOf(json.operation_id)).toEqual(["confirmed"])
  await expectHeld(wallet, 1n)
})

test("transactions in slots that a cluster rolls back land exactly once", async () => {
  const { connection } = cluster
  let rolledBack = false
  while (!rolledBack) {
    const wallet = await one()
    const { json } = await tokens.mint(config, wallet, "1")
    const { value } = await connection.getSignatureStatus(json.onchain_tx)
    // If it is already finalized, this is too late.
    rolledBack = await callLocalnet(cluster.url, "localnet_rollback", [{ slot: value!.slot - 1 }]).then(
      () => true,
      () => false,
    )
    if (rolledBack) expect((await connection.getSignatureStatus(json.onchain_tx)).value).toBeNull()
    await waitFor(() => isFinal(`/token/operation/${json.operation_id}`), "it to be final")
    await expectHeld(wallet, 1n)
  }
})

/** How often the chain has refused an operation that is being redone. */
async function refusals(id: string): Promise<number> {
  const [row] = await sql<{ attempts: number }[]>`select attempts from operations where id = ${id} and redo`
  return row?.attempts ?? 0
}

/** A transfer that the holder signs, without Vouch. */
function ownTransfer(config: string, { publicKey }: Keypair, to: string, amount: bigint) {
  const mint = assetMintOf(key.workspaceId, config)
  const [source, target] = [publicKey, new PublicKey(to)].map((owner) => tokenAccountOf(mint, owner))
  return createTransferCheckedInstruction(source!, mint, target!, publicKey, amount, 0, [], TOKEN_2022_PROGRAM_ID)
}

const unfinal = async () =>
  (await sql`select from transactions where status = 'confirmed' and finalized_at is null`).length

/** Waits until nothing is unfinished. */
const settled = () =>
  waitFor(
    async () => (await sql`select from operations where status in ('queued', 'submitted')`).length === 0,
    "everything to be settled",
  )

async function booksOf() {
  const counters = await sql`
    select issued, supply, holders from mint_configs where workspace_id = ${key.workspaceId} and id = ${config}`
  const holdings = await sql`
    select wallet, balance, incoming, outgoing from holdings
    where workspace_id = ${key.workspaceId} and mint_config = ${config} order by wallet`
  return { counters: [...counters], holdings: [...holdings] }
}

async function expectHeld(wallet: string, amount: bigint): Promise<void> {
  const [row] = await sql<{ mint: string }[]>`
    select mint from mint_configs where workspace_id = ${key.workspaceId} and id = ${config}`
  const { connection } = cluster
  const { value } = await connection.getTokenAccountsByOwner(new PublicKey(wallet), {
    mint: new PublicKey(row!.mint),
  })
  const held = value.map(({ pubkey, account }) => unpackAccount(pubkey, account, TOKEN_2022_PROGRAM_ID).amount)
  expect(held).toEqual([amount])
}
