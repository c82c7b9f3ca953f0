import { randomBytes } from "node:crypto"
import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"

const secrets = {
  VOUCH_SIGNER: randomBytes(32).toString("base64"),
  VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
}
let cluster: FaultyChain
let database: string
let app: TestApp
let key: TestKey

beforeAll(async () => {
  cluster = await startFaultyChain()
  database = (await createTestDatabase()).url
  await serve(database)
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

async function serve(url: string): Promise<void> {
  app = await startTestApp({ SOLANA_RPC_URL: cluster.node.url, ...secrets }, { between: () => url })
}

/** Copies the database while no client is connected to it. */
async function backUp(): Promise<string> {
  const copy = new URL(database)
  copy.pathname = `/backup_${randomBytes(6).toString("hex")}`
  const admin = postgres(database, { ...socketOptions(database), database: "postgres", max: 1 })
  const nameOf = (url: string) => admin(new URL(url).pathname.slice(1))
  await admin`create database ${nameOf(copy.href)} template ${nameOf(database)}`
  await admin.end()
  return copy.href
}

const credential = async (wallet: Address) => (await credentialOf(app, key, wallet)).amount
const idle = () =>
  waitFor(
    async () => (await sql`select from operations where status in ('queued', 'submitted')`).length === 0,
    "nothing to be under way",
  )

test("a session from before the backup whose approval is lost ends, and a lost renewal keeps what it renewed", async () => {
  const renewed = await app.verifiedWallet(key)
  const wallet = newWallet()
  const { sessionId } = await app.startSession(key, wallet)
  const renewal = await app.startSession(key, renewed.wallet)
  await app.stop()
  const backup = await backUp()
  await serve(database)
  for (const session_id of [sessionId, renewal.sessionId])
    await app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(key, wallet, "verified")
  await idle()
  await app.stop()
  await serve(backup)
  await app.waitForStatus(key, wallet, "rejected")
  await idle()
  const { attestation_id } = await app.waitForStatus(key, renewed.wallet, "verified")
  expect(attestation_id).toBe(renewed.status.attestation_id)
  expect([await credential(wallet), await credential(renewed.wallet)]).toEqual([0, 1])
  await app.verifiedWallet(key, wallet)
  expect(await credential(wallet)).toBe(1)
  expect(await differences()).toEqual([])
})
