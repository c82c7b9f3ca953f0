import { expect, test } from "vitest"
import { grounds } from "#test/fixtures/grounds.ts"
import { member } from "#test/fixtures/people.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("an investor's timeline has what moved and what members did to the wallets, and only theirs", async () => {
  const { browser, account } = await member(app)
  const key = await app.key({ account })
  const recoveries = recoveryFixture(app, key)
  const tokens = tokenFixture(app, key)
  const { investor, lost, fresh } = await recoveries.person()
  const [other] = await tokens.wallets(1)
  const config = await tokens.config({}, { symbol: "FND", decimals: 2 })
  await tokens.mint(config, lost, "5")
  await tokens.mint(config, other!, "3")
  expect((await tokens.transfer(config, lost, other!, "1.5")).json).toMatchObject({ status: "confirmed" })
  await tokens.post("/token/freeze", { user_pubkey: fresh, mint_config: config, ...grounds })
  await tokens.post("/token/unfreeze", { user_pubkey: fresh, mint_config: config, ...grounds })
  const { json } = await recoveries.request(investor, { lost_wallet: lost })
  await tokens.post(`/recovery/${json.recovery_id}/cancel`, {})

  const { data } = await browser.query("investor.view", { id: investor })
  const happened = (data.timeline as { event: string; attestation_id: string | null }[]).filter(
    ({ event, attestation_id }) => attestation_id === null && event !== "first_seen",
  )
  // Some are of the same second.
  expect(happened).toEqual(
    expect.arrayContaining(
      [
        { event: "no_longer_lost", user_pubkey: lost, recovery_id: json.recovery_id },
        { event: "reported_lost", user_pubkey: lost, recovery_id: json.recovery_id, reason: "Case 2026-118" },
        { event: "unfrozen", user_pubkey: fresh, symbol: "FND", reason: grounds.reference },
        { event: "frozen", user_pubkey: fresh, symbol: "FND", reason: grounds.reference },
        { event: "moved", operation: expect.objectContaining({ kind: "transfer", amount: "1.5", symbol: "FND" }) },
        { event: "moved", operation: expect.objectContaining({ kind: "mint", amount: "5", user_pubkey: lost }) },
      ].map((one) => expect.objectContaining(one)),
    ),
  )
  expect(happened).toHaveLength(6)
  expect(data.has_earlier).toBe(false)
})
