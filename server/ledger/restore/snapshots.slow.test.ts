import postgres from "postgres"
import { expect, test } from "vitest"
import { verifySnapshot } from "#client/index.ts"
import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { authorityPurpose } from "#server/solana/keys.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  app,
  backUp,
  cluster,
  differences,
  goesOn,
  idle,
  key,
  restore,
  restores,
  serve,
  timesOnChain,
  tokens,
} from "#test/fixtures/restores.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"

restores()

type Snapshot = { snapshot_id: string; state: string; sha256: string; anchor_tx: string | null }

const readSnapshot = async (id: string): Promise<Snapshot> => (await tokens.get(`/snapshot/${id}`)).json
const untilAnchored = (id: string) =>
  waitFor(async () => {
    const one = await readSnapshot(id)
    return one.anchor_tx !== null && one
  }, "the hash on chain")

const isoOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, "")

const take = async (config: string, seconds: number): Promise<string> => {
  const record_at = isoOf(Date.now() + seconds * 1000)
  return (await tokens.post("/snapshots", { mint_config: config, record_at, name: "Record date" })).json.snapshot_id
}

/** A token that one wallet holds. */
async function heldToken(): Promise<string> {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  expect((await tokens.mint(config, wallet, 5)).status).toBe(200)
  return config
}

/** Saves a backup in which nothing is under way. */
async function saved(): Promise<string> {
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  return backup
}

/** The snapshot is the one that is on chain, once, and its file verifies. */
async function expectAnchoredOnce(id: string, before: Snapshot): Promise<void> {
  const after = await untilAnchored(id)
  expect(after).toMatchObject({ state: "ready", sha256: before.sha256, anchor_tx: before.anchor_tx })
  await idle()
  expect(await timesOnChain(id)).toBe(1)
  const csv = (await tokens.get(`/snapshot/${id}/holders.csv`)).text
  const issuer = deployment.keys(authorityPurpose(key.workspaceId)).publicKey.toBase58()
  expect(await verifySnapshot(cluster.connection, { issuer, snapshot: after, csv })).toMatchObject({ verified: true })
  const made = await sql`select id from operations where kind = 'anchor' and payload ->> 'snapshot_id' = ${id}`
  expect(made).toHaveLength(1)
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
}

test("a snapshot that was scheduled in the backup and anchored since finds its memo", async () => {
  const id = await take(await heldToken(), 20)
  const backup = await saved()
  const before = await untilAnchored(id)
  await idle()
  await restore(backup)
  await goesOn()
  await expectAnchoredOnce(id, before)
})

test("a snapshot that was ready in the backup, whose memo was sent since, is not anchored again", async () => {
  const id = await take(await heldToken(), -1)
  const before = await untilAnchored(id)
  const backup = await saved()
  // As if it had been made before the memo was signed.
  const own = postgres(backup, { ...socketOptions(backup), max: 1 })
  await own`update operations set status = 'queued', signature = null, finished_at = null
    where kind = 'anchor' and payload ->> 'snapshot_id' = ${id}`
  await own`delete from transactions where signature = ${before.anchor_tx}`
  await own.end()
  await restore(backup)
  await goesOn()
  await expectAnchoredOnce(id, before)
})

test("a mint that the backup lacks counts in a snapshot that is completed after the restore", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const backup = await saved()
  expect((await tokens.mint(config, wallet, 5)).status).toBe(200)
  await idle()
  await restore(backup)
  const id = await take(config, 1)
  await goesOn()
  await untilAnchored(id)
  expect((await tokens.get(`/snapshot/${id}/holders`)).json.data).toEqual([
    { user_pubkey: wallet, balance: "5", held: "0" },
  ])
})

test("the memo of a snapshot whose request is lost harms nothing", async () => {
  const config = await heldToken()
  const backup = await saved()
  const id = await take(config, -1)
  await untilAnchored(id)
  await idle()
  await restore(backup)
  await goesOn()
  expect((await tokens.get(`/snapshot/${id}`)).status).toBe(404)
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})
