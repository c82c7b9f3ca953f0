import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { createPaymentMint, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { paymentFixture, untilPaid } from "#test/fixtures/payments.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

// Another process pays, and is killed after each step.

usesCustomer({ environment: { VOUCH_ROLE: "web" } })
let worker: ShiftedServer
let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>

/** More than one batch, so that payments are in every state. */
const PAYMENTS = 150
const KILLS = 6
const AMOUNT = 5n

const startWorker = () =>
  startShiftedServer(app, 0, { VOUCH_ROLE: "worker", TEST_SLOWNESS: "15", VOUCH_TEST_PAYMENT_MINTS: coin.address })

beforeAll(async () => {
  coin = await createPaymentMint(app.connection)
  payments = paymentFixture(key.workspaceId, coin)
  // Not one base unit too many: a second payment of a payout would leave another one unpaid.
  await payments.fund(BigInt(PAYMENTS) * AMOUNT)
  worker = await startWorker()
})
afterAll(() => worker.kill())

/** How far the payments have come: any change is a step. */
async function step(): Promise<string> {
  const rows = await sql`select status, count(*)::int as count from operations where kind = 'pay' group by 1 order by 1`
  return JSON.stringify(rows)
}
const isUnderWay = (state: string) => state.includes("queued") || state.includes("submitted")

/** How often each payout is on chain in a memo of a transaction that the treasury's key signed. */
async function countOnChain(payouts: readonly string[]): Promise<number[]> {
  const authority = await payments.treasury()
  const all = await app.connection.getSignaturesForAddress(authority, { limit: 1000 })
  const memos = all.flatMap(({ err, memo }) => (err === null && memo ? [memo] : []))
  return payouts.map((id) => memos.filter((memo) => memo.includes(id)).length)
}

test("each payout is paid once, though the process is killed after each step", async () => {
  const paid = await payments.pay(...Array.from({ length: PAYMENTS }, () => ({ amount: AMOUNT })))
  let kills = 0
  while (kills < KILLS) {
    const before = await step()
    if (!isUnderWay(before)) break
    await waitFor(async () => (await step()) !== before, "the next step")
    await worker.kill()
    kills++
    worker = await startWorker()
  }
  expect(kills).toBeGreaterThan(2)
  const ended = await untilPaid(paid)
  expect(new Set(ended.map(({ status, error_code }) => `${status} ${error_code}`))).toEqual(new Set(["confirmed null"]))
  expect(await countOnChain(paid.map(({ payoutId }) => payoutId))).toEqual(paid.map(() => 1))
  expect(await Promise.all(paid.map(({ wallet }) => payments.received(wallet)))).toEqual(paid.map(() => AMOUNT))
  expect(await coin.balanceOf(await payments.treasury())).toBe(0n)
  expect(await differences()).toEqual([])
})
