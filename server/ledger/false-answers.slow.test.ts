import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { applyConfig } from "#server/domain/tokens/change-config.ts"
import { readReconcileProgress } from "#server/domain/tokens/reconcile-accounts.ts"
import { makeNodeLie } from "#test/doubles/make-node-lie.ts"
import { type RpcProxy, replying } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type AppOnFaultyNodes, startAppOnFaultyNodes } from "#test/fixtures/app-on-faulty-nodes.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { fund } from "#test/fixtures/tokens.ts"

// Two nodes. The one that is asked first gives false answers that agree with one another at every commitment.

let faulty: AppOnFaultyNodes
let liar: RpcProxy
let honest: RpcProxy

beforeAll(async () => {
  faulty = await startAppOnFaultyNodes({ others: 1 })
  ;[liar, honest] = faulty.nodes as [RpcProxy, RpcProxy]
})
afterEach(() => faulty.behave())
afterAll(() => faulty.stop())

const isFinal = async (id: string) => (await faulty.operation(id)).finalized_at !== null
const slotNow = () => faulty.cluster.connection.getSlot("confirmed")
/** Longer than finality takes, plus several more checks. */
async function checksPass(count: () => number, times = 3): Promise<void> {
  const from = await slotNow()
  await waitFor(async () => (await faulty.cluster.connection.getSlot("finalized")) > from + 64, "it to be final")
  const before = count()
  await waitFor(async () => count() >= before + times, "more checks")
}
const calls = (node: RpcProxy, method: string) => () => node.calls.get(method) ?? 0

test("a transaction that only one node reports is not final, and is redone once the other is asked", async () => {
  const wallet = await faulty.wallet()
  await faulty.cluster.hold(true)
  const { stop } = makeNodeLie(liar, { everythingLanded: true })
  const id = await faulty.mintLater(wallet)
  await faulty.becomes(id, "confirmed")
  await checksPass(calls(honest, "getSignatureStatuses"))
  expect([await isFinal(id), await faulty.held(wallet)]).toEqual([false, 0n])
  await faulty.warp()
  await faulty.cluster.hold(false)
  stop()
  await waitFor(() => isFinal(id), "it to be final")
  expect([await faulty.savedFor(id), await faulty.held(wallet)]).toEqual([2, 1n])
})

test("a transaction that only one node reports as gone is not signed again", async () => {
  const wallet = await faulty.wallet()
  const slot = await slotNow()
  const { stop } = makeNodeLie(liar, {
    nothingSince: slot,
    absent: new Set([faulty.accountOf(wallet).toBase58()]),
  })
  const id = await faulty.mintLater(wallet)
  await waitFor(async () => (await faulty.held(wallet)) === 1n, "it to land")
  await faulty.warp()
  await waitFor(async () => (await faulty.operation(id)).doubt !== null, "the doubt to be noted")
  expect((await faulty.operation(id)).doubt).toMatch(/one node lists it and another does not/)
  // The same holds if the other node cannot be asked.
  honest.fault = replying("drop")
  await checksPass(calls(liar, "getSignaturesForAddress"), 1)
  expect([await faulty.savedFor(id), (await faulty.operation(id)).status]).toEqual([1, "submitted"])
  honest.fault = null
  stop()
  await faulty.becomes(id, "confirmed")
  expect([await faulty.savedFor(id), await faulty.held(wallet)]).toEqual([1, 1n])
})

test("a transaction that only one node reports as failed is not signed again", async () => {
  const wallet = await faulty.wallet()
  const { stop } = makeNodeLie(liar, { everythingFailed: true })
  const id = await faulty.mintLater(wallet)
  await waitFor(async () => (await faulty.held(wallet)) === 1n, "it to land")
  await checksPass(calls(honest, "getTransaction"))
  expect([await faulty.savedFor(id), (await faulty.operation(id)).status]).toEqual([1, "submitted"])
  stop()
  await faulty.becomes(id, "confirmed")
  expect([await faulty.savedFor(id), await faulty.held(wallet)]).toEqual([1, 1n])
})

test("a credential that one node hides is burned, even if the other node was down", async () => {
  const wallet = await faulty.wallet()
  const account = faulty.credentialOf(wallet)
  const { lies, stop } = makeNodeLie(liar, { absent: new Set([account.toBase58()]) })
  honest.fault = replying("drop")
  await faulty.revoke(wallet)
  await checksPass(() => lies.said)
  const [queued] = await sql`select status from operations where kind = 'revoke' and wallet = ${wallet}`
  expect([queued!.status, (await faulty.read(account))?.amount]).toEqual(["queued", 1n])
  honest.fault = null
  stop()
  await waitFor(async () => (await faulty.read(account))?.amount === 0n, "it to be destroyed")
})

test("limits use balances on chain once two nodes report the same finalized ones", async () => {
  const holder = await faulty.tokens.config({}, { transfer_mode: "holder" })
  const [first, second] = await faulty.tokens.wallets(2)
  for (const wallet of [first, second]) expect((await faulty.tokens.mint(holder, wallet, "50")).status).toBe(200)
  const { lies, stop } = makeNodeLie(liar, { empty: new Set([faulty.accountOf(first, holder).toBase58()]) })
  const rules = { max_balance_per_wallet: "60" }
  await applyConfig(byOperator(faulty.key), { ...fund(holder), transfer_mode: "agent", rules })
  await checksPass(() => lies.said)
  const { remaining } = await readReconcileProgress(faulty.key.workspaceId, holder)
  expect(remaining).toBeGreaterThan(0)
  expect((await faulty.tokens.mint(holder, first, "20")).json.error).toBe("mint_paused")
  stop()
  const isOver = async () => (await readReconcileProgress(faulty.key.workspaceId, holder)).remaining === 0
  await waitFor(isOver, "the books to be read")
  const refused = await faulty.tokens.mint(holder, first, "20")
  expect([refused.status, refused.json.error]).toEqual([403, "balance_limit_exceeded"])
  expect((await faulty.tokens.trace(holder)).counters).toEqual({ issued: "100", supply: "100", holders: 2 })
})
