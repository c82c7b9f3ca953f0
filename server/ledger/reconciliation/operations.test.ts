import { randomBytes } from "node:crypto"
import { Keypair, LAMPORTS_PER_SOL, SystemProgram, Transaction } from "@solana/web3.js"
import bs58 from "bs58"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditDue, auditWorkspace } from "#server/domain/audits/audit-ledger.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { forgets, noHistory, type RpcProxy, replying, rpcError, withoutMemos } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

let cluster: FaultyChain
let node: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string
let wallet: Address

beforeAll(async () => {
  cluster = await startFaultyChain()
  node = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: node.url })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
  ;[wallet] = await tokens.wallets(1)
  await mint()
})
afterEach(() => {
  node.fault = null
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

const workspace = () => ({ id: key.workspaceId, mode: "test" as const })
const audit = (isFull: boolean) => auditWorkspace(workspace(), { isFull })
const kinds = async (isFull: boolean) => (await audit(isFull)).differences.map(({ kind }) => kind)
const mint = async (): Promise<string> => {
  const { status, json, text } = await tokens.mint(config, wallet, "1")
  expect(status, text).toBe(200)
  return json.operation_id
}
const cursor = async () => {
  const [row] = await sql<{ slot: bigint | null }[]>`select slot from audits where workspace_id = ${key.workspaceId}`
  return Number(row?.slot ?? 0)
}
/** Waits until everything is final and before the start of the next reconciliation. */
async function pass(): Promise<void> {
  const now = await cluster.connection.getSlot("confirmed")
  await waitFor(async () => (await cluster.connection.getSlot("finalized")) > now, "it to be final")
  expect(await kinds(false)).toEqual([])
  expect(await cursor()).toBeGreaterThan(now)
}

test("a reconciliation continues where the last one ended, and reads no transaction", async () => {
  await pass()
  const id = await mint()
  await waitFor(async () => {
    const [row] = await sql`select from transactions where fee is not null and counted_at is null`
    return row === undefined
  }, "its cost to be counted")
  node.calls.clear()
  const report = await audit(false)
  expect(report.differences).toEqual([])
  expect(report.checked.transactions).toBe(1)
  expect(report.checked.operations).toBe(1)
  expect(node.calls.get("getTransaction")).toBe(undefined)
  // A full reconciliation reads everything.
  expect((await audit(true)).checked.transactions).toBeGreaterThan(3)
  expect(id).toMatch(/^op_/)
})

// Each changes one row, then restores it.
test.each([
  [
    "a landed transaction counts as expired",
    "transactions",
    "status = 'expired'",
    "status = 'confirmed'",
    ["transaction_landed", "operation_missing"],
  ],
  [
    "a carried operation counts as failed",
    "operations",
    "status = 'failed'",
    "status = 'confirmed'",
    ["operation_landed"],
  ],
])("%s", async (_what, table, change, undo, expected) => {
  const id = await mint()
  const [row] = await sql<{ signature: string }[]>`select signature from operations where id = ${id}`
  const where = table === "operations" ? sql`id = ${id}` : sql`signature = ${row!.signature}`
  const set = (text: string) => sql`update ${sql(table)} set ${sql.unsafe(text)} where ${where}`
  await set(change)
  const found = await kinds(false)
  await set(undo)
  expect(found).toEqual(expect.arrayContaining(expected))
  expect(await kinds(false)).toEqual([])
})

test("a transaction that is not on chain is reported as missing, and so is an operation that none carried", async () => {
  const id = await mint()
  const gone = bs58.encode(randomBytes(64))
  const [row] = await sql<{ signature: string }[]>`select signature from operations where id = ${id}`
  const insert = (status: string, layout: string) => sql`
    insert into transactions (signature, workspace_id, mode, wire, layout, head, last_valid_block_height, status, slot,
      created_at, settled_at, finalized_at)
    select ${gone}, workspace_id, mode, wire, ${layout}::text::jsonb, head, last_valid_block_height, ${status}, slot,
      created_at, settled_at, finalized_at from transactions where signature = ${row!.signature}`
  const point = (signature: string) => sql`update operations set signature = ${signature} where id = ${id}`
  await insert("confirmed", "[]")
  expect(await kinds(false)).toEqual(["transaction_missing"])
  await point(gone)
  expect((await kinds(false)).sort()).toEqual(["operation_missing", "operation_repeated", "transaction_missing"])
  await sql`delete from transactions where signature = ${gone}`
  // A failed operation may have found its effect already on chain, which ends it successfully.
  await insert("failed", JSON.stringify([[id, 1]]))
  expect(await kinds(false)).toEqual(["operation_repeated"])
  await sql`update transactions set layout = '[]' where signature = ${row!.signature}`
  expect(await kinds(false)).toEqual([])
  await sql`update transactions set layout = ${sql.json([[id, 1]])} where signature = ${row!.signature}`
  await point(row!.signature)
  await sql`delete from transactions where signature = ${gone}`
  expect(await kinds(false)).toEqual([])
})

test("another sender's transaction that names our key is no difference, even if it cannot be read", async () => {
  const stranger = Keypair.generate()
  const chain = cluster.connection
  await chain.confirmTransaction(await chain.requestAirdrop(stranger.publicKey, LAMPORTS_PER_SOL))
  const authority = deployment.keys(authorityPurpose(key.workspaceId)).publicKey
  const transfer = SystemProgram.transfer({
    fromPubkey: stranger.publicKey,
    toPubkey: authority,
    lamports: 1_000_000,
  })
  const { blockhash } = await chain.getLatestBlockhash("confirmed")
  const transaction = new Transaction({ feePayer: stranger.publicKey, recentBlockhash: blockhash }).add(transfer)
  transaction.sign(stranger)
  const signature = await chain.sendRawTransaction(transaction.serialize())
  await waitFor(
    async () => (await chain.getSignatureStatus(signature)).value?.confirmationStatus === "finalized",
    "it to land",
  )
  expect(await kinds(false)).toEqual([])
  node.fault = replying(rpcError(-32015, "Transaction version (1) is not supported"), ["getTransaction"])
  const { differences, information } = await audit(true)
  expect(differences).toEqual([])
  expect(information.join()).toContain(signature)
})

test("a node with pruned history causes no difference, and a node without history cannot be reconciled with", async () => {
  await mint()
  node.fault = forgets(await cluster.connection.getSlot("finalized"))
  const { differences, information } = await audit(true)
  expect(differences).toEqual([])
  expect(information.join()).toMatch(/are older than the node's history/)
  node.fault = noHistory
  await expect(audit(true)).rejects.toThrow(/history/)
})

test("a history without memos is not compared", async () => {
  node.fault = withoutMemos
  await expect(audit(true)).rejects.toThrow(/leaves out the memo of/)
})

test("every workspace is compared once an hour, by one worker", async () => {
  // Differences that the server's own worker found in an earlier test would be reported after this request.
  await app.passesEnded()
  await sql`update audits set at = now() - interval '2 hours', claimed_until = null`
  // The server's own worker is a third, and may be first.
  const done = await Promise.all([auditDue(), auditDue()])
  expect(done.filter(Boolean).length).toBeLessThanOrEqual(1)
  await waitFor(async () => {
    const [row] = await sql<{ is_fresh: boolean | null }[]>`
      select at > now() - interval '1 minute' as is_fresh from audits where workspace_id = ${key.workspaceId}`
    return row!.is_fresh === true
  }, "it to be compared")
  expect(await auditDue()).toBe(false)
  await waitFor(async () => {
    const { json } = await app.request({ method: "GET", path: "/health" })
    const one = json.ledger.find(({ mode }: { mode: string }) => mode === "test")
    // A report from before has the differences of earlier tests.
    return one?.audit_age_seconds !== null && one?.audit_differences === 0
  }, "health to report it")
})

test("a difference that only accounts show is found within a day and reported until it is fixed", async () => {
  const due = (full: string) => sql`
    update audits set at = now() - interval '2 hours', claimed_until = null, full_at = now() - ${full}::interval
    where workspace_id = ${key.workspaceId}`
  /** The server's own worker may do it first. */
  const audited = async () => {
    await auditDue()
    return waitFor(async () => {
      const [row] = await sql<{ is_fresh: boolean; differences: number }[]>`
        select at > now() - interval '1 minute' as is_fresh, differences from audits where workspace_id = ${key.workspaceId}`
      return row!.is_fresh && row!
    }, "it to be compared")
  }
  const lose = () => sql`update credentials set attestation_id = null where wallet = ${wallet} returning wallet`
  const [{ attestation_id }] = await sql<{ attestation_id: string }[]>`
    select attestation_id from credentials where wallet = ${wallet}`.then((rows) => [rows[0]!] as const)
  await due("25 hours")
  expect((await audited()).differences).toBe(0)
  await lose()
  await due("23 hours")
  expect((await audited()).differences).toBe(0)
  await due("25 hours")
  expect((await audited()).differences).toBeGreaterThan(0)
  // The next reconciliation, an hour later, still reports it.
  await sql`update audits set at = now() - interval '2 hours' where workspace_id = ${key.workspaceId}`
  expect((await audited()).differences).toBeGreaterThan(0)
  await sql`update credentials set attestation_id = ${attestation_id} where wallet = ${wallet}`
  await sql`update audits set at = now() - interval '2 hours' where workspace_id = ${key.workspaceId}`
  expect((await audited()).differences).toBe(0)
})
