import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { distributionFixture } from "#test/fixtures/distributions.ts"
import { seedHolders } from "#test/fixtures/holders.ts"
import { createPaymentMint, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { paymentFixture } from "#test/fixtures/payments.ts"
import {
  app,
  backUp,
  cluster,
  database,
  goesOn,
  idle,
  key,
  node,
  restore,
  restores,
  serve,
  tokens,
} from "#test/fixtures/restores.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"

// Another process pays, and is killed again and again, while the distributions are paused twice and the database is
// replaced by a backup once. VOUCH_DISTRIBUTION_PAYOUTS and VOUCH_DISTRIBUTION_KILLS make it larger: 10000 and 20.

const PAYOUTS = Number(process.env.VOUCH_DISTRIBUTION_PAYOUTS ?? 1000)
const KILLS = Number(process.env.VOUCH_DISTRIBUTION_KILLS ?? 3)
/** Base units for each holder. */
const AMOUNT = 7n

restores()
const dist = distributionFixture(() => tokens)
let worker: ShiftedServer | null = null
let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>

const settings = () => ({ VOUCH_TEST_PAYMENT_MINTS: coin.address })
const web = () => ({ VOUCH_ROLE: "web", ...settings() })
const startWorker = async () => {
  const changes = { SOLANA_RPC_URL: node.url, DATABASE_URL: database, VOUCH_ROLE: "worker", TEST_SLOWNESS: "15" }
  worker = await startShiftedServer(app, 0, { ...changes, ...settings() })
}
async function kill(): Promise<void> {
  await worker?.kill()
  worker = null
}

beforeAll(async () => {
  coin = await createPaymentMint(cluster.connection)
  payments = paymentFixture(key.workspaceId, coin)
})
afterAll(kill)

/** The operations of payouts that have landed. */
async function landed(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from operations where status = 'confirmed' and payload ->> 'payout_id' is not null`
  return row!.count
}
const lands = (least: number) => waitFor(async () => (await landed()) >= least, `${least} payouts to land`)

/** How often each payout is on chain, in a memo of a transaction that the workspace's key signed. */
async function countOnChain(): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const authority = await payments.treasury()
  for (let before: string | undefined; ; ) {
    const page = await cluster.connection.getSignaturesForAddress(authority, { limit: 1000, ...(before && { before }) })
    for (const { err, memo } of page)
      if (err === null) for (const [id] of memo?.matchAll(/pay_\w+/g) ?? []) counts.set(id, (counts.get(id) ?? 0) + 1)
    if (page.length < 1000) return counts
    before = page.at(-1)!.signature
  }
}

async function draft(config: string, about: object, supply: number): Promise<string> {
  const { status, json } = await dist.draft(config, about, supply)
  expect(status, JSON.stringify(json)).toBe(200)
  return json.distribution_id
}

test("each payout is paid once through kills, a restore and two pauses, and every unit is explained", async () => {
  const kind = await tokens.config()
  const real = await tokens.wallets(12)
  await Promise.all(real.map((wallet) => tokens.mint(kind, wallet, 1)))
  const fund = await tokens.config()
  const holders: Address[] = Array.from({ length: PAYOUTS }, newWallet)
  await seedHolders(key.workspaceId, { config: fund, like: real[0]!, holders })
  // Not one base unit too many: a second payment of a payout would leave another one unpaid.
  const total = BigInt(PAYOUTS) * AMOUNT
  await payments.fund(total)
  await app.stop()
  await serve(web())
  await startWorker()
  const about = { settlement: "stablecoin", payment_mint: coin.address, total: (Number(total) / 1e6).toFixed(6) }
  const money = await draft(fund, about, PAYOUTS)
  const shares = await draft(kind, { settlement: "in_kind", per_unit: "3" }, real.length)
  expect((await dist.act(money, "start")).status).toBe(202)
  for (let kills = 0; kills < KILLS; kills++) {
    await lands(kills < 4 ? (await landed()) + 1 : Math.floor((kills * PAYOUTS) / (2 * KILLS)))
    await kill()
    await startWorker()
  }
  await paused(money)
  const { pending } = await dist.get(money)
  expect(pending).not.toBe("0")

  // The backup lacks what lands after it: part of one distribution, and all of the other one, of which it has the draft.
  await idle()
  await kill()
  await app.stop()
  const backup = await backUpOnceClosed()
  await serve(web())
  await startWorker()
  const atBackup = await landed()
  for (const id of [money, shares]) expect((await dist.act(id, "start")).status).toBe(202)
  await dist.untilState(shares, "completed")
  await lands(atBackup + real.length + 50)
  await kill()
  await restore(backup, web())
  expect(await dist.get(money)).toMatchObject({ state: "paused", pending })
  expect(await dist.get(shares)).toMatchObject({ state: "draft", pending: "36" })
  await startWorker()
  await goesOn()
  for (const id of [money, shares]) expect((await dist.act(id, "start")).status).toBe(202)
  await lands(atBackup + real.length + 51)
  await paused(money)
  expect((await dist.act(money, "start")).status).toBe(202)
  await Promise.all([money, shares].map((id) => dist.untilState(id, "completed")))

  const amount = (Number(total) / 1e6).toFixed(6).replace(/\.?0+$/, "")
  expect(await dist.get(money)).toMatchObject({
    allocated: amount,
    paid: amount,
    remainder: "0",
    withheld: "0",
    failed: "0",
  })
  expect(await dist.get(shares)).toMatchObject({ paid: "36", withheld: "0", failed: "0" })
  const paid = [...(await dist.payouts(money)), ...(await dist.payouts(shares))]
  const counts = await countOnChain()
  expect(paid.filter(({ payout_id }) => counts.get(payout_id) !== 1)).toEqual([])
  expect(counts.size).toBe(PAYOUTS + real.length)
  expect(await payments.received(holders[0]!)).toBe(AMOUNT)
  expect(await coin.balanceOf(await payments.treasury())).toBe(0n)
  expect(await Promise.all(real.map((wallet) => tokens.onChain(kind, wallet)))).toEqual(real.map(() => 4n))
  for (const { payout_id, operation_id } of await dist.payouts(shares))
    expect((await tokens.get(`/token/operation/${operation_id}`)).json.payout_id).toBe(payout_id)
})

/** Pauses a distribution: nothing that has not begun begins. */
async function paused(id: string): Promise<void> {
  const { status, json } = await dist.act(id, "pause")
  expect([status, json.state]).toEqual([200, "paused"])
  const { pending } = json
  await new Promise((later) => setTimeout(later, 1500))
  expect((await dist.get(id)).pending).toBe(pending)
}

/** The killed process's connections end a moment after it. */
async function backUpOnceClosed(): Promise<string> {
  let url: string | null = null
  await waitFor(async () => {
    url = await backUp().catch(() => null)
    return url !== null
  }, "the database to have no connections")
  return url!
}
