import { beforeAll, beforeEach, expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { distributionFixture } from "#test/fixtures/distributions.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { createPaymentMint, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture } from "#test/fixtures/payments.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()
const dist = distributionFixture(() => tokens)
let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>
let fund: string

beforeAll(async () => {
  coin = await createPaymentMint(app.connection)
  payments = paymentFixture(key.workspaceId, coin)
  allowMints("test", coin)
})
beforeEach(async () => {
  fund = await tokens.config()
  await payments.fund(600n)
})

/** A started distribution of 600 units to the only holder, whose payment is queued and not signed while `act` runs. */
async function whileQueued(act: () => Promise<unknown>): Promise<string> {
  const draft = await dist.draft(fund, { settlement: "stablecoin", payment_mint: coin.address, total: "0.0006" }, 6)
  const id = draft.json.distribution_id
  await whileLedgerPaused(async () => {
    await dist.act(id, "start")
    await waitFor(async () => (await dist.payouts(id)).every(({ status }) => status === "submitted"), "the payment")
    await act()
  })
  await dist.untilState(id, "completed")
  return id
}

test("a wallet that is frozen after its payment was queued is owed it, and gets it once it is unfrozen", async () => {
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(fund, wallet, 6)
  const about = { user_pubkey: wallet, mint_config: fund, ...grounds }
  const id = await whileQueued(() => tokens.post("/token/freeze", about))
  const [payout] = await dist.payouts(id)
  expect(payout).toMatchObject({ status: "withheld", withheld_reason: "wallet_frozen", onchain_tx: null })
  expect(await payments.received(wallet)).toBe(0n)

  await tokens.post("/token/unfreeze", about)
  await dist.payoutAct(payout!.payout_id, "release")
  await waitFor(async () => (await dist.payout(payout!.payout_id)).status === "paid", "the payment")
  expect(await payments.received(wallet)).toBe(600n)
})

test("a lost wallet's payout is not paid to the one that replaced it once that is another investor's", async () => {
  const recoveries = recoveryFixture(app, key)
  const { investor, lost, fresh } = await recoveries.person()
  await tokens.mint(fund, lost, 6)
  const draft = await dist.draft(fund, { settlement: "stablecoin", payment_mint: coin.address, total: "0.0006" }, 6)
  const about = { lost_wallet: lost, new_wallet: fresh, document_sha256: "A".repeat(43) }
  const { recovery_id } = (await recoveries.request(investor, about)).json
  await waitFor(async () => (await recoveries.get(recovery_id)).state === "completed", "the recovery")
  const bob = { userPubkey: fresh, schemaId: "kyc_individual_v1", externalId: crypto.randomUUID() }
  const { json } = await tokens.post("/kyc/start", bob)
  await app.webhook({ session_id: json.session_id, decision: "approved", claims: { country: "US" } })
  await waitFor(async () => {
    const { data } = (await tokens.get(`/investors?wallet=${fresh}`)).json
    return data[0]?.external_id === bob.externalId
  }, "the other owner")

  await dist.act(draft.json.distribution_id, "start")
  await dist.untilState(draft.json.distribution_id, "completed")
  const [payout] = await dist.payouts(draft.json.distribution_id)
  expect(payout).toMatchObject({ status: "withheld", withheld_reason: "wallet_barred", paid_to: null })
  expect([await payments.received(lost), await payments.received(fresh)]).toEqual([0n, 0n])
})

test("a wallet that is reported lost after its payment was queued gets nothing, and the one that replaces it does", async () => {
  const recoveries = recoveryFixture(app, key)
  const { investor, lost, fresh } = await recoveries.person()
  await tokens.mint(fund, lost, 6)
  let recovery = ""
  const id = await whileQueued(async () => {
    const about = { lost_wallet: lost, new_wallet: fresh, document_sha256: "A".repeat(43), bar_now: true }
    recovery = (await recoveries.request(investor, about)).json.recovery_id
  })
  const [payout] = await dist.payouts(id)
  expect(payout).toMatchObject({ status: "withheld", withheld_reason: "wallet_barred", paid_to: null })

  await waitFor(async () => (await recoveries.get(recovery)).state === "completed", "the recovery")
  await dist.payoutAct(payout!.payout_id, "release")
  await waitFor(async () => (await dist.payout(payout!.payout_id)).status === "paid", "the payment")
  expect(await dist.payout(payout!.payout_id)).toMatchObject({ user_pubkey: lost, paid_to: fresh })
  expect([await payments.received(lost), await payments.received(fresh)]).toEqual([0n, 600n])
})
