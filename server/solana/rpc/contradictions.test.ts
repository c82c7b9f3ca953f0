import { Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { type Fault, type RpcProxy, rpcError, rpcProxy } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { startTestChain, type TestChain } from "#test/fixtures/test-chain.ts"
import { RpcNodes } from "./nodes.ts"
import { Rpc } from "./rpc.ts"

// Answers that contradict what is already known. They are ignored, and the next node is called.

let chain: TestChain
let liar: RpcProxy
let honest: RpcProxy
let rpc: Rpc
const funded = Keypair.generate().publicKey
let funding: string

beforeAll(async () => {
  chain = await startTestChain()
  ;[liar, honest] = await Promise.all([rpcProxy(chain.url), rpcProxy(chain.url)])
  const urls = [liar.url, honest.url]
  rpc = new Rpc(new RpcNodes({ urls, sendUrls: [], callsPerSecond: Number.POSITIVE_INFINITY, admit: async () => {} }))
  // Different ones, because two identical ones are one transaction.
  for (const more of [-1, 0, 1]) await rpc.airdrop(funded, LAMPORTS_PER_SOL + more)
  const areThere = async () => (await rpc.signaturesFor(funded, { limit: 9 })).length === 3
  await waitFor(areThere, "the three to be listed")
  funding = (await rpc.signaturesFor(funded, { limit: 1 }))[0]!.signature
})
afterEach(() => {
  liar.fault = null
  honest.calls.clear()
})
afterAll(async () => {
  await Promise.all([liar.close(), honest.close()])
  await chain.close()
})

type WithSlot = { context: { slot: number }; value: unknown }
/** Changes the honest answer of a method. */
const changing =
  <T>(name: string, change: (result: T) => unknown): Fault =>
  async ({ method }, ask) => {
    const reply = await ask()
    return method === name && typeof reply === "object" && "result" in reply
      ? { result: change(structuredClone(reply.result) as T) }
      : reply
  }
const askedOf = (proxy: RpcProxy, method: string) => proxy.calls.get(method) ?? 0

const readAccount = async () => (await rpc.account(funded, { since: 0 })).value?.lamports
const held = 3 * LAMPORTS_PER_SOL

test.each<[string, string, Fault]>([
  [
    "too few values",
    "getMultipleAccounts",
    changing("getMultipleAccounts", (result: WithSlot) => ({ ...result, value: [] })),
  ],
  [
    "too many values",
    "getMultipleAccounts",
    changing("getMultipleAccounts", (result: WithSlot) => ({ ...result, value: [null, null] })),
  ],
  [
    "a slot that no chain has reached",
    "getMultipleAccounts",
    changing("getMultipleAccounts", ({ context, value }: WithSlot) => ({
      context: { slot: context.slot + 2 ** 52 },
      value,
    })),
  ],
  [
    "a slot that the node does not confirm when asked again",
    "getMultipleAccounts",
    changing("getMultipleAccounts", ({ context, value }: WithSlot) => ({
      context: { slot: context.slot + 5000 },
      value,
    })),
  ],
  [
    "the answer to another call",
    "getMultipleAccounts",
    async ({ method }, ask) =>
      method === "getMultipleAccounts"
        ? {
            status: 200,
            text: `{"jsonrpc":"2.0","id":"another","result":{"context":{"slot":1},"value":[null]}}`,
          }
        : ask(),
  ],
])("an answer with %s is rejected", async (_, method, fault) => {
  liar.fault = fault
  expect(await readAccount()).toBe(held)
  expect(askedOf(honest, method)).toBe(1)
  liar.fault = null
  // Nothing of it remains: later reads are as of a slot that the chain has.
  expect(rpc.nodes.slot).toBeLessThanOrEqual(await chain.connection.getSlot("processed"))
  expect((await rpc.latestBlockhash({ since: rpc.nodes.slot })).slot).toBeGreaterThanOrEqual(rpc.nodes.slot)
})

test("a status in a future slot and a missing status are rejected", async () => {
  for (const change of [
    ({ context, value }: WithSlot) => ({
      context,
      value: (value as { slot: number }[]).map((status) => ({ ...status, slot: context.slot + 2 ** 52 })),
    }),
    ({ context }: WithSlot) => ({ context, value: [] }),
  ]) {
    liar.fault = changing("getSignatureStatuses", change)
    const { slot, value } = await rpc.statuses([funding], { history: true })
    expect(value).toHaveLength(1)
    expect(value[0]!.slot).toBeLessThanOrEqual(slot)
  }
  expect(askedOf(honest, "getSignatureStatuses")).toBe(2)
})

test("a history out of order and another transaction are rejected", async () => {
  liar.fault = changing("getSignaturesForAddress", (list: { slot: number }[]) =>
    list.map((one, i) => ({ ...one, slot: one.slot + i * 100 })),
  )
  const slot = await rpc.firstAvailableBlock()
  const landed = await rpc.landedSince(funded, { slot, since: 0, commitment: "confirmed" })
  expect(landed.map(({ signature }) => signature)[0]).toBe(funding)
  expect(landed).toHaveLength(3)

  const [, older] = landed
  liar.fault = async (call, ask) =>
    call.method === "getTransaction" ? ask(call.method, [older!.signature, call.params[1]]) : ask()
  expect((await rpc.transaction(funding))?.transaction.signatures[0]).toBe(funding)
  // The last page is empty.
  expect([askedOf(honest, "getSignaturesForAddress"), askedOf(honest, "getTransaction")]).toEqual([2, 1])
})

test("a rent beyond that of every cluster is never paid", async () => {
  const honestRent = await rpc.rentOf(170)
  expect(honestRent).toBe(await chain.connection.getMinimumBalanceForRentExemption(170))
  liar.fault = changing("getMinimumBalanceForRentExemption", (lamports: number) => lamports * 1000)
  expect(await rpc.rentOf(170)).toBe(honestRent)
})

test("a node's refusal counts as an error of the method, unless it is only behind", async () => {
  const errorsOf = (method: string) => rpc.nodes.metrics.byMethod.get(method)?.errors ?? 0
  const before = errorsOf("getMultipleAccounts")
  liar.fault = async ({ method }, ask) => (method === "getMultipleAccounts" ? rpcError(-32603) : ask())
  expect(await readAccount()).toBe(held)
  expect(errorsOf("getMultipleAccounts")).toBe(before + 1)
  liar.fault = async ({ method }, ask) => (method === "getMultipleAccounts" ? rpcError(-32016) : ask())
  expect(await readAccount()).toBe(held)
  expect(errorsOf("getMultipleAccounts")).toBe(before + 1)
})

test("a call that a node refuses immediately is repeated a few times, not indefinitely", async () => {
  const alone = new RpcNodes({
    urls: [liar.url],
    sendUrls: [],
    callsPerSecond: Number.POSITIVE_INFINITY,
    admit: async () => {},
  })
  liar.calls.clear()
  liar.fault = async ({ method }, ask) => (method === "getMultipleAccounts" ? rpcError(-32601) : ask())
  await expect(new Rpc(alone).account(funded, { since: 0 })).rejects.toThrow()
  expect(askedOf(liar, "getMultipleAccounts")).toBeLessThan(20)
})
