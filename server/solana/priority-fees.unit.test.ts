import { Keypair } from "@solana/web3.js"
import { afterEach, expect, test, vi } from "vitest"
import { PriorityFees, priceOf, raisedPrice } from "./priority-fees.ts"
import type { Rpc } from "./rpc/rpc.ts"

afterEach(() => void vi.useRealTimers())

const limits = { floor: 10, ceiling: 1000, percentile: 75 }

test("the price is a percentile of what others paid, between floor and ceiling", () => {
  expect(priceOf([100, 400, 200, 300], limits)).toBe(400)
  expect(priceOf([100, 400, 200, 300], { ...limits, percentile: 50 })).toBe(300)
  expect(priceOf([100, 400, 200, 300], { ...limits, percentile: 100 })).toBe(400)
  expect(priceOf([0, 0, 0, 0], limits)).toBe(10)
  expect(priceOf([5_000_000], limits)).toBe(1000)
})

test("values that are not prices are ignored", () => {
  expect(priceOf([], limits)).toBe(10)
  expect(priceOf([Number.NaN, -5, null, "700", Number.POSITIVE_INFINITY, undefined], limits)).toBe(10)
  expect(priceOf([null, 20], limits)).toBe(20)
})

test("a transaction offers more each time it is signed again, up to the ceiling", () => {
  const wide = { ...limits, ceiling: 20_000 }
  expect([0, 1, 2, 3, 400].map((times) => raisedPrice(2000, times, wide))).toEqual([2000, 4000, 8000, 16_000, 20_000])
  expect(raisedPrice(0, 1, { ...limits, floor: 0, ceiling: 50_000 })).toBe(2000)
  expect(raisedPrice(7, 9, { floor: 7, ceiling: 7, percentile: 75 })).toBe(7)
})

/** A node with these answers, which counts how often it is asked. */
const node = (recentFees: () => Promise<unknown>) => {
  const asked = { times: 0 }
  const rpc = {
    recentFees: () => {
      asked.times++
      return recentFees()
    },
  }
  return { asked, rpc: { patient: rpc } as unknown as Rpc }
}
const accounts = [Keypair.generate().publicKey]

test("a node is asked once in some seconds, however many transactions there are", async () => {
  const { asked, rpc } = node(async () => [300])
  const fees = new PriorityFees(rpc, limits)
  const prices = await Promise.all(Array.from({ length: 5 }, () => fees.priceFor(accounts)))
  expect([...prices, await fees.priceFor(accounts)]).toEqual([300, 300, 300, 300, 300, 300])
  expect(asked.times).toBe(1)
})

test("without the method or an answer of the node, the price is the floor", async () => {
  const failing = node(() => Promise.reject(new Error("Method not found")))
  expect(await new PriorityFees(failing.rpc, limits).priceFor(accounts)).toBe(10)
  const silent = node(() => new Promise(() => {}))
  expect(await new PriorityFees(silent.rpc, limits).priceFor(accounts)).toBe(10)
})

test("with the floor at the ceiling the price is fixed, and no node is called", async () => {
  const { asked, rpc } = node(async () => [300])
  expect(await new PriorityFees(rpc, { floor: 5, ceiling: 5, percentile: 75 }).priceFor(accounts)).toBe(5)
  expect(asked.times).toBe(0)
})

test("our own past prices are no reason to keep paying them", async () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  let paid = 800
  const { rpc } = node(async () => [paid])
  const fees = new PriorityFees(rpc, limits)
  const prices: number[] = []
  for (let i = 0; i < 20; i++) {
    paid = await fees.priceFor(accounts)
    prices.push(paid)
    vi.advanceTimersByTime(61_000)
  }
  expect(prices.slice(0, 3)).toEqual([800, 600, 450])
  expect(prices.at(-1)).toBe(limits.floor)
  paid = 700
  expect(await fees.priceFor(accounts)).toBe(700)
})
