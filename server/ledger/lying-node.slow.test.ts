import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { applyConfig } from "#server/domain/tokens/configs.ts"
import { readReconcileProgress } from "#server/domain/tokens/reconcile-accounts.ts"
import { lying } from "#test/doubles/liar.ts"
import { type RpcProxy, replying } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type AppOnFaultyNodes, startAppOnFaultyNodes } from "#test/fixtures/app-on-faulty-nodes.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { fund } from "#test/fixtures/tokens.ts"

// Two nodes. The first one, which is asked first, lies consistently: its answers agree with one another, at every
// commitment.

let twisted: AppOnFaultyNodes
let liar: RpcProxy
let honest: RpcProxy

beforeAll(async () => {
  twisted = await startAppOnFaultyNodes({ others: 1 })
  ;[liar, honest] = twisted.nodes as [RpcProxy, RpcProxy]
})
afterEach(() => twisted.behave())
afterAll(() => twisted.stop())

const isFinal = async (id: string) => (await twisted.operation(id)).finalized_at !== null
const slotNow = () => twisted.cluster.connection.getSlot("confirmed")
/** Longer than finality takes, plus several more checks. */
async function looksPass(count: () => number, times = 3): Promise<void> {
  const from = await slotNow()
  await waitFor(async () => (await twisted.cluster.connection.getSlot("finalized")) > from + 64, "it to be final")
  const before = count()
  await waitFor(async () => count() >= before + times, "more looks")
}
const calls = (node: RpcProxy, method: string) => () => node.calls.get(method) ?? 0

test("a transaction that only one node reports is not final, and is done again once that is known", async () => {
  const wallet = await twisted.wallet()
  await twisted.cluster.hold(true)
  const { stop } = lying(liar, { everythingLanded: true })
  const id = await twisted.mintLater(wallet)
  await twisted.becomes(id, "confirmed")
  await looksPass(calls(honest, "getSignatureStatuses"))
  expect([await isFinal(id), await twisted.held(wallet)]).toEqual([false, 0n])
  await twisted.warp()
  await twisted.cluster.hold(false)
  stop()
  await waitFor(() => isFinal(id), "it to be there for good")
  expect([await twisted.savedFor(id), await twisted.held(wallet)]).toEqual([2, 1n])
})

test("a transaction that only one node reports as gone is not signed again", async () => {
  const wallet = await twisted.wallet()
  const slot = await slotNow()
  const { stop } = lying(liar, {
    nothingSince: slot,
    absent: new Set([twisted.accountOf(wallet).toBase58()]),
  })
  const id = await twisted.mintLater(wallet)
  await waitFor(async () => (await twisted.held(wallet)) === 1n, "it to land")
  await twisted.warp()
  await waitFor(async () => (await twisted.operation(id)).doubt !== null, "the doubt to be told")
  expect((await twisted.operation(id)).doubt).toMatch(/one node lists it and another does not/)
  // Nor where the other one cannot be asked.
  honest.twist = replying("drop")
  await looksPass(calls(liar, "getSignaturesForAddress"), 1)
  expect([await twisted.savedFor(id), (await twisted.operation(id)).status]).toEqual([1, "submitted"])
  honest.twist = null
  stop()
  await twisted.becomes(id, "confirmed")
  expect([await twisted.savedFor(id), await twisted.held(wallet)]).toEqual([1, 1n])
})

test("a transaction that only one node reports as failed is not signed again", async () => {
  const wallet = await twisted.wallet()
  const { stop } = lying(liar, { everythingFailed: true })
  const id = await twisted.mintLater(wallet)
  await waitFor(async () => (await twisted.held(wallet)) === 1n, "it to land")
  await looksPass(calls(honest, "getTransaction"))
  expect([await twisted.savedFor(id), (await twisted.operation(id)).status]).toEqual([1, "submitted"])
  stop()
  await twisted.becomes(id, "confirmed")
  expect([await twisted.savedFor(id), await twisted.held(wallet)]).toEqual([1, 1n])
})

test("a credential that only one node does not show is burned, even if the other one was down", async () => {
  const wallet = await twisted.wallet()
  const account = twisted.credentialOf(wallet)
  const { lies, stop } = lying(liar, { absent: new Set([account.toBase58()]) })
  honest.twist = replying("drop")
  await twisted.revoke(wallet)
  await looksPass(() => lies.said)
  const [queued] = await sql`select status from operations where kind = 'revoke' and wallet = ${wallet}`
  expect([queued!.status, (await twisted.read(account))?.amount]).toEqual(["queued", 1n])
  honest.twist = null
  stop()
  await waitFor(async () => (await twisted.read(account))?.amount === 0n, "it to be destroyed")
})

test("balances for limits are taken over once two nodes report the same finalized ones", async () => {
  const holder = await twisted.tokens.config({}, { transfer_mode: "holder" })
  const [first, second] = await twisted.tokens.wallets(2)
  for (const wallet of [first, second]) expect((await twisted.tokens.mint(holder, wallet, "50")).status).toBe(200)
  const { lies, stop } = lying(liar, { empty: new Set([twisted.accountOf(first, holder).toBase58()]) })
  const rules = { max_balance_per_wallet: "60" }
  await applyConfig(byOperator(twisted.key), { ...fund(holder), transfer_mode: "agent", rules })
  await looksPass(() => lies.said)
  const { remaining } = await readReconcileProgress(twisted.key.workspaceId, holder)
  expect(remaining).toBeGreaterThan(0)
  expect((await twisted.tokens.mint(holder, first, "20")).json.error).toBe("mint_paused")
  stop()
  const isOver = async () => (await readReconcileProgress(twisted.key.workspaceId, holder)).remaining === 0
  await waitFor(isOver, "the books to be read")
  const refused = await twisted.tokens.mint(holder, first, "20")
  expect([refused.status, refused.json.error]).toEqual([403, "balance_limit_exceeded"])
  expect((await twisted.tokens.trace(holder)).counters).toEqual({ issued: "100", supply: "100", holders: 2 })
})
