import { decide, snapshotOf } from "./api.ts"
import { type Customer, expect, expectAccessible, heading, section, test } from "./dashboard.ts"
import { brokenWords } from "./layout.ts"

/** A new token with a ready snapshot of two holders, who have 1 and 2 units. */
async function held({ api }: Customer) {
  const id = `paid_${Date.now()}`
  await api.call("POST", "/mint-configs", {
    ...{ id, name: "Paid Fund", symbol: "PAID", decimals: 0, required_schema: "kyc_individual_v1" },
  })
  for (const amount of ["1", "2"]) {
    const { wallet, sessionId } = await api.start({ externalId: `${id}-${amount}` })
    await decide(sessionId, "approved")
    await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
    await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount })
  }
  await snapshotOf(api, id, "3")
  return id
}

test("a distribution is drafted, checked, started and marked as paid", { tag: ["@phone"] }, async ({
  page,
  customer,
}) => {
  const id = await held(customer)
  await page.goto(section(customer, `tokens/${id}?tab=snapshots`))
  await page.getByRole("link", { name: "Create distribution" }).click()
  const snapshot = page.getByLabel("Snapshot")
  await expect(snapshot.getByRole("option", { selected: true })).toHaveText(/^Paid Fund: Record date Q3 2026, /)
  await page.getByLabel("Settlement").selectOption("external")
  await page.getByRole("textbox", { name: "Total" }).fill("100")
  await page.getByLabel("Reference").fill("Dividend Q3 2026")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Show what each holder gets" }).click()

  await expect(heading(page, /^Dividend Q3 2026/)).toBeVisible()
  const payouts = page.getByRole("region", { name: "Payouts" })
  const amount = (text: string) => payouts.getByText(text).filter({ visible: true })
  await expect(amount("33.33 units")).toBeVisible()
  await expect(amount("66.67 units")).toBeVisible()
  await expect(payouts.getByRole("button", { name: "Mark as paid" })).toHaveCount(0)
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByRole("button", { name: "Start paying" }).click()
  await expect(page.getByText("Being paid").first()).toBeVisible()
  await expectAccessible(page)
  expect(await brokenWords(page)).toEqual([])

  for (let left = 2; left > 0; left--) {
    await expect(payouts.getByRole("button", { name: "Mark as paid" })).toHaveCount(left)
    await payouts.getByRole("button", { name: "Mark as paid" }).first().click()
    const dialog = page.getByRole("dialog", { name: "Mark as paid elsewhere?" })
    await dialog.getByLabel("Reference of the payment").fill(`SEPA ${left}`)
    await dialog.getByRole("button", { name: "Mark as paid" }).click()
  }
  await expect(page.getByText("Completed").first()).toBeVisible()
  await expect(page.getByRole("link", { name: "Download report" })).toBeVisible()
})
