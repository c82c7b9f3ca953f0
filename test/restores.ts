import { randomBytes } from "node:crypto"
import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import postgres from "postgres"
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest"
import { sql } from "#db/client.ts"
import { socketOptions } from "#db/socket.ts"
import { credentialMintKey } from "#server/domain/attestations/credential-accounts.ts"
import { auditLedger } from "#server/domain/audit-ledger.ts"
import { deployment } from "#server/domain/deployment.ts"
import { assetMintOf } from "#server/domain/tokens/asset-accounts.ts"
import { serverRun } from "#server/ledger/restore/state.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { authorityOf } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "./app.ts"
import { createTestDatabase } from "./database.ts"
import type { RpcProxy } from "./rpc-proxy.ts"
import { testTimeoutMs } from "./test-chain.ts"
import { type TokenFixture, tokenFixture } from "./tokens.ts"
import { startTwistedChain, type TwistedChain } from "./twisted-chain.ts"

// A database that is restored, while the chain goes on. What counts is read from the chain itself.

const secrets = {
  VOUCH_SIGNER: randomBytes(32).toString("base64"),
  VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
}
export const SCHEMA = "kyc_individual_v1"
const later = { headers: { Prefer: "respond-async" } }

export let cluster: TwistedChain
export let node: RpcProxy
export let admin: postgres.Sql
export let app: TestApp
export let key: TestKey
export let tokens: TokenFixture
export let database: string

/** A server on a chain that goes on, and a node of it that can be told to lie. */
export function restores(newDatabase = async () => (await createTestDatabase()).url): void {
  // Each starts several servers, and waits until blockhashes are invalid for good: on a validator 180 slots, as long as they take.
  vi.setConfig({ testTimeout: testTimeoutMs(90_000) })
  beforeAll(() => begin(newDatabase))
  afterEach(() => {
    node.twist = null
  })
  afterAll(async () => {
    await app.stop()
    await admin.end()
    await cluster.close()
  })
}

async function begin(newDatabase: () => Promise<string>): Promise<void> {
  cluster = await startTwistedChain()
  node = cluster.node
  const url = await newDatabase()
  database = url
  admin = postgres(new URL("/postgres", url).href.replace(/\?.*/, "") + new URL(url).search, {
    ...socketOptions(url),
    database: "postgres",
    max: 1,
  })
  await serve()
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
}
export async function serve(environment: Record<string, string> = {}, url = database): Promise<void> {
  app = await startTestApp({ SOLANA_RPC_URL: node.url, ...secrets, ...environment }, () => url)
  if (key) tokens = tokenFixture(app, key)
}

export const nameOf = (url: string) => new URL(url).pathname.slice(1)

/** What a backup is: the database as it is now. Nobody is connected. */
export async function backUp(): Promise<string> {
  const copy = new URL(database)
  copy.pathname = `/backup_${randomBytes(6).toString("hex")}`
  await admin`create database ${admin(nameOf(copy.href))} template ${admin(nameOf(database))}`
  return copy.href
}

/** As if it had been copied below a server that was stopped: it is of the same line as the original. */
export async function asOfTheSameServer(url: string): Promise<string> {
  const own = postgres(url, { ...socketOptions(url), max: 1 })
  await own`
    update chains set lineage = (select system_identifier from pg_control_system()) || '/' ||
      left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' ||
      (select oid from pg_database where datname = current_database()) || '/' || 'chains'::regclass::oid`
  await own.end()
  return url
}

/** Requests are taken, and nothing is signed. */
export async function withoutWorker<T>(work: () => Promise<T>): Promise<T> {
  await app.stop()
  await serve({ VOUCH_ROLE: "web" })
  const result = await work()
  await app.stop()
  return result
}

export async function unitsOf(mint: ReturnType<typeof assetMintOf>, wallet: Address): Promise<bigint> {
  const account = tokenAccountOf(mint, publicKeyOf(wallet))
  const info = await cluster.connection.getAccountInfo(account)
  return info === null ? 0n : unpackAccount(account, info, TOKEN_2022_PROGRAM_ID).amount
}
export const held = (config: string, wallet: Address) => unitsOf(assetMintOf(key.workspaceId, config), wallet)
export const credential = (wallet: Address) =>
  unitsOf(credentialMintKey(key.workspaceId, SCHEMA).publicKey, wallet)

/** How often the chain has an id in a memo that the workspace's authority signed. */
export async function timesOnChain(id: string): Promise<number> {
  const authority = authorityOf(deployment.keys, key.workspaceId).publicKey
  const all = await cluster.connection.getSignaturesForAddress(authority, { limit: 1000 })
  return all.filter(({ err, memo }) => err === null && memo?.includes(id)).length
}

export const mintLater = async (config: string, wallet: Address, amount: string) =>
  (await tokens.mint(config, wallet, amount, later)).json.operation_id as string
export const statusOf = async (id: string) =>
  (await sql<{ status: string }[]>`select status from operations where id = ${id}`)[0]?.status ?? null
export const becomes = (id: string, status: string) =>
  waitFor(async () => (await statusOf(id)) === status, `${id} to be ${status}`)
export const idle = () =>
  waitFor(
    async () => (await sql`select from operations where status in ('queued', 'submitted')`).length === 0,
    "nothing to be under way",
  )
export const health = async () =>
  (await app.request({ method: "GET", path: "/health" })).json.checks.chain as string
export const isOpen = async () => {
  const [row] = await sql<{ open: boolean }[]>`
    select server is not distinct from ${serverRun(sql)} as open from chains where mode = 'test'`
  return row!.open
}
export const goesOn = () => waitFor(isOpen, "the ledger to go on", 40_000)
export const differences = async () => (await auditLedger({ account: null, progress: () => {} })).differences
const approve = async (wallet: Address) => {
  const { sessionId } = await app.startSession(key, wallet)
  const { status } = await app.webhook({
    session_id: sessionId,
    decision: "approved",
    claims: { country: "US" },
  })
  expect(status).toBe(200)
}

export async function revoke(wallet: Address): Promise<void> {
  const { json } = await tokens.get(`/attestations?pubkey=${wallet}`)
  const { status, text } = await tokens.post(`/attestation/${json.data[0].attestation_id}/revoke`, {
    reason: "test",
  })
  expect(status, text).toBe(200)
}

/** A backup with a mint, a transfer, an approval and a revocation in the queue; then all of them are done. */
export async function backUpWithWork(also: () => Promise<unknown> = async () => {}) {
  const config = await tokens.config()
  const [first, second, revoked] = await tokens.wallets(3)
  await tokens.mint(config, first, "10")
  const approved = newWallet()
  const operations = await withoutWorker(async () => {
    await also()
    await approve(approved)
    await revoke(revoked)
    return {
      mint: await mintLater(config, second, "5"),
      transfer: (await tokens.transfer(config, first, second, "3", later)).json.operation_id as string,
    }
  })
  const backup = await backUp()
  await serve()
  await idle()
  return { config, first, second, approved, revoked, operations, backup }
}

/** From now on the server is started on this one. */
export function use(backup: string): void {
  database = backup
}

export async function restore(backup: string, environment: Record<string, string> = {}): Promise<void> {
  await app.stop()
  database = backup
  await serve(environment)
}
