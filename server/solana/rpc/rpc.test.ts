import { Keypair, PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { startLocalnet } from "#localnet"
import { fundedWallet } from "#localnet/testing"
import { everyOther, frozen, noHistory, type RpcProxy, replying, rpcError, rpcProxy } from "#test/doubles/rpc-proxy.ts"
import { startTestChain, type TestChain } from "#test/fixtures/test-chain.ts"
import { RpcUnavailable, WrongChain } from "./errors.ts"
import { RpcNodes, type RpcOptions } from "./nodes.ts"
import { Rpc } from "./rpc.ts"

let chain: TestChain
let other: Awaited<ReturnType<typeof startLocalnet>>
let first: RpcProxy
let second: RpcProxy

beforeAll(async () => {
  ;[chain, other] = await Promise.all([startTestChain(), startLocalnet({ port: 0, slotMs: 20 })])
  ;[first, second] = await Promise.all([rpcProxy(chain.url), rpcProxy(chain.url)])
})
afterEach(() => {
  for (const proxy of [first, second]) {
    proxy.fault = null
    proxy.calls.clear()
    proxy.leadTo(chain.url)
  }
})
afterAll(async () => {
  await Promise.all([first.close(), second.close()])
  await Promise.all([chain.close(), other.close()])
})

/** Knows only the chain that it saw first. */
function rpcOf(proxies: RpcProxy[], options: Partial<RpcOptions> = {}): Rpc {
  let known: string | null = null
  const nodes = new RpcNodes({
    urls: proxies.map(({ url }) => url),
    sendUrls: [],
    callsPerSecond: Number.POSITIVE_INFINITY,
    admit: async (genesisHash) => {
      known ??= genesisHash
      if (genesisHash !== known) throw new WrongChain("another chain")
    },
    ...options,
  })
  return new Rpc(nodes)
}
const callsOf = (proxy: RpcProxy, method: string) => proxy.calls.get(method) ?? 0
const anyAddress = () => Keypair.generate().publicKey

test("the first node is called, and the next one only if the first cannot answer", async () => {
  const rpc = rpcOf([first, second])
  await rpc.rentOf(100)
  expect(second.calls.size).toBe(0)
  for (const reply of [
    rpcError(-32005),
    rpcError(-32603),
    rpcError(-32601, "Method not found"),
    rpcError(-32000, "upstream timeout"),
    { status: 302, headers: { location: "http://127.0.0.1:1/" } },
    { status: 503 },
    { status: 200, text: "<html>" },
    "drop",
  ] as const) {
    first.fault = replying(reply)
    expect(await rpc.rentOf(100)).toBeGreaterThan(0)
  }
  expect(callsOf(second, "getMinimumBalanceForRentExemption")).toBe(8)
})

test("a single node is called again if it fails two of three calls", async () => {
  const rpc = rpcOf([first])
  const asked = new Map<string, number>()
  first.fault = async ({ method }, ask) => {
    const times = (asked.get(method) ?? 0) + 1
    asked.set(method, times)
    return times % 3 === 0 ? ask() : times % 3 === 1 ? "drop" : { status: 503 }
  }
  for (let n = 0; n < 5; n++) expect(await rpc.rentOf(100)).toBeGreaterThan(0)
})

test("nodes report their capabilities, and one without history is asked for none", async () => {
  const rpc = rpcOf([first, second])
  first.fault = noHistory
  await rpc.nodes.learnCapabilities(anyAddress())
  expect(rpc.nodes.capabilities).toEqual([
    { version: expect.any(String), keeps_history: false, first_slot: expect.any(Number), permissioned_burn: null },
    { version: expect.any(String), keeps_history: true, first_slot: expect.any(Number), permissioned_burn: null },
  ])
  first.calls.clear()
  await rpc.signaturesFor(anyAddress(), { limit: 1 })
  expect(callsOf(first, "getSignaturesForAddress")).toBe(0)
})

test("a node says whether its Token-2022 has PermissionedBurn, if the address that it is asked with has SOL", async () => {
  const rpc = rpcOf([first])
  const { publicKey } = await fundedWallet(chain.connection, 1)
  expect(await rpc.knowsPermissionedBurn(publicKey)).toBe(true)
  expect(await rpc.knowsPermissionedBurn(anyAddress())).toBeNull()
})

test("a call that is wrong itself is not repeated elsewhere", async () => {
  const rpc = rpcOf([first, second])
  first.fault = replying(rpcError(-32602, "Invalid params"), ["getMultipleAccounts"])
  await expect(rpc.account(anyAddress(), { since: 0 })).rejects.toThrow(/Invalid params/)
  expect(second.calls.size).toBe(0)
})

test("if no node answers, the error names each one without the secrets of its address", async () => {
  const proxies = [first, second].map((proxy) => ({ ...proxy, url: `${proxy.url}/?api-key=secret` }))
  const rpc = rpcOf(proxies)
  first.fault = replying("drop")
  second.fault = replying({ status: 502 })
  const error = await rpc.rentOf(1).catch((error) => error)
  expect(error).toBeInstanceOf(RpcUnavailable)
  expect(error.message).toContain(new URL(first.url).host)
  expect(error.message).toContain(new URL(second.url).host)
  expect(`${error.message} ${rpc.nodes.troubles.join()}`).not.toContain("secret")
})

test("a node that asks for a pause gets it, and others answer in the meantime", async () => {
  const rpc = rpcOf([first, second])
  first.fault = replying({ status: 429, headers: { "retry-after": "30" } })
  await rpc.rentOf(1)
  first.calls.clear()
  first.fault = null
  for (let n = 0; n < 5; n++) await rpc.rentOf(1)
  expect(first.calls.size).toBe(0)
  expect(rpc.nodes.troubles.join()).toMatch(/less often/)
})

test("no node is called while all of them ask for a pause", async () => {
  const rpc = rpcOf([first])
  first.fault = replying({ status: 429, headers: { "retry-after": "30" } })
  await expect(rpc.rentOf(1)).rejects.toThrow(RpcUnavailable)
  first.calls.clear()
  await expect(rpc.rentOf(1)).rejects.toThrow(/less often/)
  expect(first.calls.size).toBe(0)
})

test("an answer that must be newer is not taken from a node that lags", async () => {
  const rpc = rpcOf([first, second])
  first.fault = await frozen(chain.url)
  const { slot } = await rpc.accounts([anyAddress()], { since: 0 })
  await chainReaches(slot + 5)
  const newer = await rpc.accounts([anyAddress()], { since: slot + 5 })
  expect(newer.slot).toBeGreaterThanOrEqual(slot + 5)
})

test("a node that is about to catch up is waited for", async () => {
  const rpc = rpcOf([first])
  const { slot } = await rpc.accounts([anyAddress()], { since: 0 })
  const ahead = await rpc.accounts([anyAddress()], { since: slot + 20 })
  expect(ahead.slot).toBeGreaterThanOrEqual(slot + 20)
})

test("history is requested only from nodes that keep it", async () => {
  const rpc = rpcOf([first, second])
  first.fault = noHistory
  const address = new PublicKey("11111111111111111111111111111111")
  await rpc.signaturesFor(address, { limit: 1 })
  first.calls.clear()
  await rpc.signaturesFor(address, { limit: 1 })
  expect(callsOf(first, "getSignaturesForAddress")).toBe(0)
  expect(rpc.nodes.troubles.join()).toMatch(/keeps no history/)
})

test("another chain behind the same address is noticed after an interruption, and refused until it is gone", async () => {
  const rpc = rpcOf([first])
  await rpc.rentOf(1)
  first.fault = replying("drop")
  await expect(rpc.rentOf(1)).rejects.toThrow(RpcUnavailable)
  first.fault = null
  first.leadTo(other.url)
  first.calls.clear()
  await expect.poll(() => rpc.rentOf(1).catch((error) => error)).toBeInstanceOf(WrongChain)
  await expect(rpc.rentOf(1)).rejects.toThrow(WrongChain)
  expect([...first.calls.keys()]).toEqual(["getGenesisHash"])
})

test("one node of another chain does not affect the others", async () => {
  second.leadTo(other.url)
  const rpc = rpcOf([first, second])
  await rpc.rentOf(1)
  first.fault = everyOther(replying({ status: 503 }))
  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => rpc.rentOf(1)))
  expect(answers.some(({ status }) => status === "fulfilled")).toBe(true)
  expect(callsOf(second, "getMinimumBalanceForRentExemption")).toBe(0)
})

test("a node that does not answer does not block calls that need all others identified", async () => {
  const rpc = rpcOf([first, second])
  await rpc.nodes.identify()
  first.fault = replying("drop")
  await rpc.nodes.identify()
  second.leadTo(other.url)
  await expect(rpc.nodes.identify()).rejects.toThrow(WrongChain)
})

test("a transaction is sent to all nodes, including those only for sending", async () => {
  const rpc = rpcOf([first], { sendUrls: [second.url] })
  rpc.nodes.send(Buffer.from("not a transaction"))
  await expect.poll(() => callsOf(first, "sendTransaction") + callsOf(second, "sendTransaction")).toBe(2)
  expect(second.calls.size).toBe(1)
})

test("calls stay within their budget, and less urgent ones leave room", async () => {
  const rpc = rpcOf([first], { callsPerSecond: 20 })
  const began = performance.now()
  await Promise.all(Array.from({ length: 30 }, () => rpc.rentOf(1)))
  // 20 at once; the others, with the request for the genesis hash, at 20 per second.
  expect(performance.now() - began).toBeGreaterThanOrEqual(400)
  expect(rpc.nodes.metrics.byMethod.get("getMinimumBalanceForRentExemption")).toMatchObject({
    calls: 30,
    errors: 0,
  })
})

async function chainReaches(slot: number): Promise<void> {
  const rpc = rpcOf([second])
  await expect.poll(async () => (await rpc.accounts([anyAddress()], { since: 0 })).slot).toBeGreaterThanOrEqual(slot)
}

test("an answer longer than any expected one is the node's failure", async () => {
  const rpc = rpcOf([first, second])
  first.fault = replying({ result: "x".repeat(9 * 1024 * 1024) })
  expect(await rpc.rentOf(1)).toBeGreaterThan(0)
  expect(callsOf(second, "getMinimumBalanceForRentExemption")).toBe(1)
})

test("if a node's slot stands still, another node is asked for statuses", async () => {
  const rpc = rpcOf([first, second])
  first.fault = await frozen(chain.url, { honest: false })
  const { slot } = await rpc.accounts([anyAddress()], { since: 0 })
  await chainReaches(slot + 40)
  const known = await rpc.statuses(["1".repeat(64)], { since: slot + 40 }).catch((error) => error)
  expect(known).toMatchObject({ value: [null] })
  expect(callsOf(second, "getSignatureStatuses")).toBe(1)
})
