import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { applyConfig } from "#server/domain/tokens/change-config.ts"
import { readReconcileProgress } from "#server/domain/tokens/reconcile-accounts.ts"
import type { Address } from "#shared/address.ts"
import { makeNodeLie } from "#test/doubles/make-node-lie.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type AppOnFaultyNodes, startAppOnFaultyNodes } from "#test/fixtures/app-on-faulty-nodes.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { fund } from "#test/fixtures/tokens.ts"

// A single node gives false answers of one kind, and its answers of another kind contradict them.

let faulty: AppOnFaultyNodes

beforeAll(async () => {
  faulty = await startAppOnFaultyNodes({
    environment: { VOUCH_COMMITMENT: "finalized" },
    config: { transfer_mode: "holder" },
  })
})
afterEach(() => faulty.behave())
afterAll(() => faulty.stop())

const isDoubted = (id: string) => waitFor(async () => (await faulty.operation(id)).doubt, "the doubt to be noted")
const ended = (kind: string, wallet: Address) =>
  waitFor(async () => {
    const [row] = await sql<{ signature: string | null }[]>`
      select signature from operations where kind = ${kind} and wallet = ${wallet} and status = 'confirmed'
      order by seq desc limit 1`
    return row ?? null
  }, `${kind} to end`)

test("a status alone does not prove that a transaction landed", async () => {
  const wallet = await faulty.wallet()
  await faulty.cluster.hold(true)
  const { stop } = makeNodeLie(faulty.node, { everythingLanded: true })
  const id = await faulty.mintLater(wallet)
  await faulty.becomes(id, "submitted")
  await faulty.warp()
  expect(await isDoubted(id)).toMatch(/no history lists it, but the node returns it when asked/)
  await faulty.cluster.hold(false)
  stop()
  await faulty.becomes(id, "confirmed")
  expect([await faulty.savedFor(id), await faulty.held(wallet)]).toEqual([2, 1n])
})

test("a list without a transaction proves nothing if the node returns that transaction", async () => {
  const wallet = await faulty.wallet()
  const slot = await faulty.cluster.connection.getSlot("confirmed")
  const { stop } = makeNodeLie(faulty.node, { nothingSince: slot, transactions: true })
  const id = await faulty.mintLater(wallet)
  await waitFor(async () => (await faulty.held(wallet)) === 1n, "it to land")
  await faulty.warp()
  expect(await isDoubted(id)).toMatch(/no history lists it, but the node returns it when asked/)
  expect(await faulty.savedFor(id)).toBe(1)
  stop()
  await faulty.becomes(id, "confirmed")
  expect([await faulty.savedFor(id), await faulty.held(wallet)]).toEqual([1, 1n])
})

test("units in the books are burned and accounts frozen, even if the node does not show them", async () => {
  const wallet = await faulty.wallet()
  expect((await faulty.tokens.mint(faulty.config, wallet, "5")).status).toBe(200)
  const [credential, asset] = [faulty.credentialOf(wallet), faulty.accountOf(wallet)]
  makeNodeLie(faulty.node, { absent: new Set([credential.toBase58(), asset.toBase58()]) })
  await faulty.revoke(wallet)
  await waitFor(async () => (await faulty.read(credential))?.amount === 0n, "it to be destroyed")
  await waitFor(async () => (await faulty.read(asset))?.isFrozen ?? false, "it to be frozen")
})

test("an operation with nothing to burn ends after one attempt that the chain refuses", async () => {
  const wallet = await faulty.wallet()
  const id = (await faulty.tokens.mint(faulty.config, wallet, "5")).json.operation_id as string
  await faulty.becomes(id, "confirmed")
  // As if someone had burned the unit with our key, unknown to the books.
  await faulty.revoke(wallet)
  expect((await ended("revoke", wallet)).signature).not.toBeNull()
  const [row] = await sql<{ attestation_id: string }[]>`
    select attestation_id from operations o, jsonb_to_record(o.payload) as p(attestation_id text)
    where kind = 'revoke' and wallet = ${wallet}`
  await sql`
    update credentials set attestation_id = ${row!.attestation_id}
    where workspace_id = ${faulty.key.workspaceId} and wallet = ${wallet}`
  await sql`
    update operations set status = 'queued', signature = null, finished_at = null
    where kind = 'revoke' and wallet = ${wallet}`
  await faulty.becomes(
    (await sql<{ id: string }[]>`select id from operations where kind = 'revoke' and wallet = ${wallet}`)[0]!.id,
    "confirmed",
  )
  expect((await ended("revoke", wallet)).signature).toBeNull()
  const failed = await sql`select from transactions where status = 'failed'`
  expect(failed).toHaveLength(1)
})

test("limits do not use balances that do not add up to the supply", async () => {
  const holder = await faulty.tokens.config({}, { transfer_mode: "holder" })
  const wallets = await faulty.tokens.wallets(2)
  for (const wallet of wallets) expect((await faulty.tokens.mint(holder, wallet, "50")).status).toBe(200)
  const { lies, stop } = makeNodeLie(faulty.node, {
    empty: new Set([faulty.accountOf(wallets[0], holder).toBase58()]),
  })
  const config = { ...fund(holder), transfer_mode: "agent" as const, rules: {} }
  await applyConfig(byOperator(faulty.key), config)
  const isReported = (line: string) => line.includes("do not add up to the supply") && line.includes(holder)
  await waitFor(async () => faulty.app.log.some(isReported), "the log to report it")
  expect(lies.said).toBeGreaterThan(1)
  stop()
  const isOver = async () => (await readReconcileProgress(faulty.key.workspaceId, holder)).remaining === 0
  await waitFor(isOver, "the books to be read")
  const { counters, holdings } = await faulty.tokens.trace(holder)
  expect(counters).toEqual({ issued: "100", supply: "100", holders: 2 })
  expect(holdings.map(({ balance }) => Number(balance))).toEqual([50, 50])
})
