import { afterAll, beforeAll, expect, test } from "vitest"
import { untilServed } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

// Limits under more simultaneous requests than they allow.
let wallets: string[]

usesCustomer({ key: { mode: "live", plan: "enterprise" } })
beforeAll(async () => {
  wallets = await tokens.wallets(40)
})
afterAll(async () => expect(await differences()).toEqual([]))

const wallet = (i: number): string => wallets[i % wallets.length]!
/** A request that waited too long behind others is sent again, as clients do. */
const atOnce = (count: number, request: (i: number) => Promise<Response>): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => untilServed(() => request(i))))

/** The number of responses by status or error: `{ 200: 100, supply_cap_exceeded: 400 }`. */
function tally(answers: readonly Response[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, json } of answers) {
    const name = status === 200 ? "200" : json.error
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const sumOnChain = async (config: string): Promise<bigint> =>
  (await Promise.all(wallets.map((one) => tokens.onChain(config, one)))).reduce((sum, one) => sum + one, 0n)

const holdersOnChain = async (config: string): Promise<number> =>
  (await Promise.all(wallets.map((one) => tokens.onChain(config, one)))).filter((one) => one > 0n).length

/** At the end nothing is reserved, and the counters equal the chain. */
async function expectAtRest(config: string): Promise<void> {
  const { counters, holdings, onChain } = await tokens.trace(config)
  expect(counters.issued).toBe(String(onChain))
  expect(counters.supply).toBe(String(onChain))
  expect(await sumOnChain(config)).toBe(onChain)
  expect(counters.holders).toBe(await holdersOnChain(config))
  for (const holding of holdings) {
    const balance = String(await tokens.onChain(config, holding.wallet))
    expect(holding).toMatchObject({ balance, incoming: "0", outgoing: "0", counted: true })
  }
}

test("max_supply 100: of 500 simultaneous mints of 1, exactly 100 succeed", async () => {
  const config = await tokens.config({ max_supply: "100" })
  const answers = await atOnce(500, (i) => tokens.mint(config, wallet(i), 1))
  expect(tally(answers)).toEqual({ 200: 100, supply_cap_exceeded: 400 })
  expect(await tokens.supply(config)).toBe(100n)
  await expectAtRest(config)
})

test("max_supply: mints of different sizes fill it as far as they fit, and never exceed it", async () => {
  const config = await tokens.config({ max_supply: "100" })
  const answers = await atOnce(120, (i) => tokens.mint(config, wallet(i), (i % 7) + 1))
  const minted = answers.filter(({ status }) => status === 200).map(({ json }) => Number(json.amount))
  // Less than 7 are left at the first refusal, and some of the many later mints fit in it.
  expect(minted.reduce((sum, one) => sum + one, 0)).toBe(100)
  expect(await tokens.supply(config)).toBe(100n)
  await expectAtRest(config)
})

test("max_holders 15: of 40 wallets at once, exactly 15 become holders, and these can get more", async () => {
  const config = await tokens.config({ max_holders: 15 })
  const answers = await atOnce(40, (i) => tokens.mint(config, wallet(i), 1))
  expect(tally(answers)).toEqual({ 200: 15, holder_limit_reached: 25 })
  expect(await holdersOnChain(config)).toBe(15)
  const again = await atOnce(80, (i) => tokens.mint(config, wallet(i), 1))
  expect(tally(again)).toEqual({ 200: 30, holder_limit_reached: 50 })
  await expectAtRest(config)
})

test("max_holders: slots change hands at the limit in parallel, and their number stays the same", async () => {
  const config = await tokens.config({ max_holders: 10 })
  expect(tally(await atOnce(10, (i) => tokens.mint(config, wallet(i), 5)))).toEqual({ 200: 10 })
  // Each holder leaves to three new ones at once, but only one of the three can get everything.
  const answers = await atOnce(30, (i) => tokens.transfer(config, wallet(i % 10), wallet(10 + i), 5))
  expect(tally(answers)[200]).toBe(10)
  expect(await holdersOnChain(config)).toBe(10)
  expect(await tokens.supply(config)).toBe(50n)
  await expectAtRest(config)
})

test("max_holders: when many leave to one wallet, their slots are free again", async () => {
  const config = await tokens.config({ max_holders: 10 })
  await atOnce(10, (i) => tokens.mint(config, wallet(i), 5))
  expect(tally(await atOnce(10, (i) => tokens.transfer(config, wallet(i), wallet(20), 5)))).toEqual({
    200: 10,
  })
  expect(await tokens.onChain(config, wallet(20))).toBe(50n)
  await expectAtRest(config)
  const answers = await atOnce(12, (i) => tokens.mint(config, wallet(i), 1))
  expect(tally(answers)).toEqual({ 200: 9, holder_limit_reached: 3 })
  await expectAtRest(config)
})

test("max_balance_per_wallet 10: of 100 mints and transfers to one wallet, it gets 10", async () => {
  const config = await tokens.config({ max_balance_per_wallet: "10" })
  await atOnce(10, (i) => tokens.mint(config, wallet(1 + i), 5))
  const answers = await atOnce(100, (i) =>
    i % 2 === 0 ? tokens.mint(config, wallet(0), 1) : tokens.transfer(config, wallet(1 + (i % 10)), wallet(0), 1),
  )
  expect(tally(answers)).toEqual({ 200: 10, balance_limit_exceeded: 90 })
  expect(await tokens.onChain(config, wallet(0))).toBe(10n)
  await expectAtRest(config)
})

test("parallel transfers never take more than the balance", async () => {
  const config = await tokens.config()
  await tokens.mint(config, wallet(0), 50)
  const answers = await atOnce(200, (i) => tokens.transfer(config, wallet(0), wallet(1 + (i % 39)), 1))
  expect(tally(answers)).toEqual({ 200: 50, insufficient_balance: 150 })
  expect(await tokens.onChain(config, wallet(0))).toBe(0n)
  expect(await tokens.supply(config)).toBe(50n)
  await expectAtRest(config)
})

test("tokens that go round in a circle are neither lost nor created", async () => {
  const config = await tokens.config({ max_holders: 8, max_supply: "80" })
  await atOnce(8, (i) => tokens.mint(config, wallet(i), 10))
  const answers = await atOnce(160, (i) => tokens.transfer(config, wallet(i % 8), wallet((i + 1) % 8), 3))
  expect(Object.keys(tally(answers)).filter((name) => !["200", "insufficient_balance"].includes(name))).toEqual([])
  expect(tally(answers)[200]).toBeGreaterThanOrEqual(24)
  expect(await tokens.supply(config)).toBe(80n)
  await expectAtRest(config)
})

test("mints that fail give back their supply and holder slot", async () => {
  const config = await tokens.config({ max_supply: "100", max_holders: 5 })
  const fresh = await tokens.wallets(5)
  const other = await tokens.wallets(5)
  let waiting: Promise<Response[]>
  await whileLedgerPaused(async () => {
    waiting = Promise.all(fresh.map((one) => tokens.mint(config, one, 20)))
    await expect
      .poll(async () => (await tokens.trace(config)).counters)
      .toMatchObject({ issued: "100", holders: 5, supply: "0" })
    expect((await tokens.mint(config, other[0]!, 1)).json.error).toBe("supply_cap_exceeded")
    for (const one of fresh) {
      const { attestation_id } = (await tokens.get(`/kyc/status/${one}`)).json
      const { status } = await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
      expect(status).toBe(200)
    }
  })
  expect(tally(await waiting!)).toEqual({ wallet_not_verified: 5 })
  const { counters, holdings, onChain } = await tokens.trace(config)
  expect({ ...counters, holdings, onChain }).toEqual({
    issued: "0",
    supply: "0",
    holders: 0,
    holdings: [],
    onChain: 0n,
  })
  expect(tally(await Promise.all(other.map((one) => tokens.mint(config, one, 20))))).toEqual({ 200: 5 })
})
