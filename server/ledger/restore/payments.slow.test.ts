import { Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { createPaymentMint, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture, readPayments, someWallet, untilPaid } from "#test/fixtures/payments.ts"
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
} from "#test/fixtures/restores.ts"

restores()

let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>

beforeAll(async () => {
  coin = await createPaymentMint(cluster.connection)
  payments = paymentFixture(key.workspaceId, coin)
  await payments.fund(1000n)
  allowMints("test", coin)
})

/** Runs `work` after a backup, and restores the backup. */
async function losing<T>(work: () => Promise<T>): Promise<T> {
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  allowMints("test", coin)
  const result = await work()
  await idle()
  await restore(backup)
  allowMints("test", coin)
  await goesOn()
  return result
}

test("lost payments come back with their payouts, and cannot be made again", async () => {
  // The transaction creates the first account, and the second one was there.
  const holder = Keypair.generate()
  const [fresh, known] = [someWallet(), addressOf(holder.publicKey)]
  await cluster.connection.requestAirdrop(holder.publicKey, LAMPORTS_PER_SOL)
  await coin.open(holder.publicKey)
  const paid = await losing(async () => {
    const made = await payments.pay({ wallet: fresh, amount: 3n }, { wallet: known, amount: 4n })
    expect((await untilPaid(made)).map(({ status }) => status)).toEqual(["confirmed", "confirmed"])
    // No account shows any more whose it was.
    await coin.empty(holder)
    return made
  })
  expect(await readPayments(paid.map(({ operationId }) => operationId))).toEqual([])
  const rows = await sql`
    select kind, status, wallet, payload from operations where payload ->> 'payout_id' = any(${paid.map((one) => one.payoutId)})
    order by array_position(${paid.map((one) => one.payoutId)}, payload ->> 'payout_id')`
  const back = (n: number, amount: string) => ({
    kind: "pay",
    status: "confirmed",
    wallet: paid[n]!.wallet,
    payload: { payout_id: paid[n]!.payoutId, mint: coin.address, amount },
  })
  expect(rows.map((row) => ({ ...row }))).toEqual([back(0, "3"), back(1, "4")])
  for (const one of paid) {
    await expect(payments.pay(one)).rejects.toThrow("is paid by")
    expect(await timesOnChain(one.payoutId)).toBe(1)
  }
  expect(await payments.received(fresh)).toBe(3n)
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})

test("a payment that was queued in the backup and made since is not made twice", async () => {
  await idle()
  await app.stop()
  await serve({ VOUCH_ROLE: "web" })
  const [paid] = await payments.pay({ amount: 5n })
  await app.stop()
  const backup = await backUp()
  await serve()
  allowMints("test", coin)
  const [first] = await untilPaid([paid!])
  expect(first!.status).toBe("confirmed")
  await idle()
  await restore(backup)
  allowMints("test", coin)
  await goesOn()
  const [again] = await untilPaid([paid!])
  expect(again).toMatchObject({ status: "confirmed", signature: first!.signature })
  expect(await payments.received(paid!.wallet)).toBe(5n)
  expect(await timesOnChain(paid!.payoutId)).toBe(1)
})

test("a payout whose first payment failed before the backup and whose second one is lost counts as paid", async () => {
  const wallet = someWallet()
  const [failed] = await payments.pay({ wallet, amount: 1_000_000n })
  expect(await untilPaid([failed!])).toMatchObject([{ error_code: "treasury_insufficient" }])
  const { payoutId } = failed!
  await losing(async () => {
    await payments.fund(1_000_000n)
    expect(await untilPaid(await payments.pay({ wallet, amount: 1_000_000n, payoutId }))).toMatchObject([
      { status: "confirmed" },
    ])
  })
  const rows = await sql`
    select status from operations where payload ->> 'payout_id' = ${payoutId} order by status`
  expect(rows.map(({ status }) => status)).toEqual(["confirmed", "failed"])
  await expect(payments.pay({ wallet, payoutId })).rejects.toThrow("is paid by")
  expect(await payments.received(wallet)).toBe(1_000_000n)
})
