import { changeAnswer } from "./answers.ts"
import { decide, newWallet, snapshotOf } from "./api.ts"
import { type Customer, expect, expectAccessible, heading, section, test } from "./dashboard.ts"
import { brokenWords } from "./layout.ts"

/** A new token, and a ready snapshot of its two holders, who have 1 and 2 units. */
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
  return { id, snapshot_id: await snapshotOf(api, id, "3") }
}

/** A distribution that the two holders are paid outside Vouch: 33.33 and 66.67. */
async function started(customer: Customer) {
  const { id, snapshot_id } = await held(customer)
  const about = { snapshot_id, settlement: "external", total: "100", reference: "Dividend Q3 2026" }
  const { distribution_id } = await customer.api.call("POST", "/distributions", about)
  await customer.api.send("POST", `/distribution/${distribution_id}/start`, {})
  return { id, distribution_id }
}

test("a distribution is drafted, checked, started and marked as paid", { tag: ["@phone"] }, async ({
  page,
  customer,
}) => {
  const { id } = await held(customer)
  await page.goto(section(customer, `tokens/${id}?tab=snapshots`))
  await page.getByRole("button", { name: "Actions for Record date Q3 2026" }).click()
  await page.getByRole("menuitem", { name: "Create distribution" }).click()
  const snapshot = page.getByLabel("Snapshot")
  await expect(snapshot.getByRole("option", { selected: true })).toHaveText(/^Paid Fund: Record date Q3 2026, /)
  await page.getByLabel("Settlement").selectOption("external")
  const preview = page.getByRole("region", { name: "Preview" })
  await expect(preview).toContainText("enter an amount to see what its holders get")
  await page.getByRole("textbox", { name: "Total" }).fill("100")
  await expect(preview).toContainText(/100to 2 holders/)
  await expect(preview).toContainText("About 33.333333")
  await page.getByText("More options").click()
  await page.getByLabel("Smallest payout").fill("50")
  await expect(preview).toContainText(/66\.67to 1 holder/)
  await expect(preview).toContainText(/No one gets33\.33/)
  await page.getByLabel("Smallest payout").fill("")
  await page.getByLabel("Reference").fill("Dividend Q3 2026")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Create draft" }).click()

  await expect(heading(page, /^Dividend Q3 2026/)).toBeVisible()
  const payouts = page.getByRole("region", { name: "Payouts" })
  const amount = (text: string) => payouts.getByText(text).filter({ visible: true })
  await expect(amount("33.33")).toBeVisible()
  await expect(amount("66.67")).toBeVisible()
  await expect(payouts.getByRole("button", { name: /^Actions for/ })).toHaveCount(0)
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByRole("button", { name: "Start paying" }).click()
  await expect(page.getByText("Being paid").first()).toBeVisible()
  await expectAccessible(page)
  expect(await brokenWords(page)).toEqual([])
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await page.setViewportSize(size)

  await expect(page.getByText("0 of 2 payouts paid")).toBeVisible()
  for (let left = 2; left > 0; left--) {
    await expect(payouts.getByRole("button", { name: /^Actions for/ })).toHaveCount(left)
    await payouts
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole("menuitem", { name: "Mark as paid" }).click()
    const dialog = page.getByRole("dialog", { name: "Mark as paid outside Vouch?" })
    await dialog.getByLabel("Reference of the payment").fill(`SEPA ${left}`)
    await dialog.getByRole("button", { name: "Mark as paid" }).click()
  }
  await expect(page.getByText("Completed").first()).toBeVisible()
  await expect(page.getByText("2 of 2 payouts paid")).toBeVisible()
  await expect(page.getByRole("link", { name: "Download report" })).toBeVisible()
})

test("people chosen by name and pasted wallets get nothing, and a draft is cancelled from the menu", {
  tag: ["@phone"],
}, async ({ page, customer }) => {
  const { id, snapshot_id } = await held(customer)
  await page.goto(section(customer, `distributions/new?snapshot=${snapshot_id}`))
  await page.getByLabel("Settlement").selectOption("external")
  await page.getByRole("textbox", { name: "Total" }).fill("100")
  await page.getByLabel("Reference").fill("Dividend Q4 2026")
  const options = page.getByText("More options")
  await options.click()
  const field = page.getByRole("combobox", { name: "Wallets that get nothing (optional)" })
  const excluded = page.getByRole("list", { name: "Wallets that get nothing" }).getByRole("listitem")
  await field.fill(`${id}-2`)
  await page
    .getByRole("option")
    .filter({ hasText: `${id}-2` })
    .click()
  await expect(excluded).toHaveText([`Remove ${id}-2`])
  await expect(field).toHaveValue("")
  const [first, second] = [newWallet(), newWallet()]
  await field.fill(first)
  await expect(excluded).toHaveCount(1)
  await field.fill(`${first}, ${second} ${first}`)
  await expect(excluded).toHaveCount(3)
  await excluded.nth(2).getByRole("button").click()
  await expect(excluded).toHaveCount(2)
  await field.fill("not a wallet")
  await options.click()
  await expect(field).toBeHidden()
  await page.getByRole("button", { name: "Create draft" }).click()
  await expect(page.getByText("Not the address of a wallet: not, a, wallet.")).toBeVisible()
  await expect(field).toBeFocused()
  await expectAccessible(page)
  await field.fill(second)
  await page.getByRole("button", { name: "Create draft" }).click()

  await expect(heading(page, /^Dividend Q4 2026/)).toBeVisible()
  await expect(
    page.getByRole("region", { name: "Payouts" }).getByText("100", { exact: true }).filter({ visible: true }),
  ).toHaveCount(1)
  await expect(page.getByText("0 of 1 payout paid")).toBeVisible()
  await expect(page.getByRole("link", { name: "Record date Q3 2026" })).toHaveAttribute("href", /\?tab=snapshots$/)
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: "Cancel the distribution" }).click()
  const question = page.getByRole("alertdialog", { name: "Cancel this distribution?" })
  await expectAccessible(page)
  await question.getByRole("button", { name: "Cancel the distribution" }).click()
  await expect(page.getByText("Cancelled").first()).toBeVisible()
  await expect(page.getByRole("button", { name: "More actions" })).toHaveCount(0)
})

test("payouts are selected and marked as paid together, and one that was marked in the meantime is named", {
  tag: ["@phone"],
}, async ({ page, customer }) => {
  const { id, distribution_id } = await started(customer)
  await page.goto(section(customer, `distributions/${distribution_id}`))
  const bar = page.getByRole("region", { name: "Selected payouts" })
  await page.getByRole("checkbox", { name: "Select all on this page" }).check()
  await expect(bar).toContainText("2 selected")
  await expectAccessible(page)
  const { data } = await customer.api.call("GET", `/distribution/${distribution_id}/payouts`)
  const first = data.find(({ external_id }: { external_id: string }) => external_id === `${id}-1`)
  await customer.api.call("POST", `/payout/${first.payout_id}/mark-paid`, { external_reference: "SEPA 1" })
  await expect(page.getByRole("checkbox", { name: `${id}-1: paid outside Vouch` })).toBeDisabled()

  await bar.getByRole("button", { name: "Mark as paid" }).click()
  const dialog = page.getByRole("dialog", { name: "Mark 2 payouts as paid outside Vouch?" })
  await expect(dialog).toContainText("100 in all.")
  await dialog.getByRole("button", { name: "Mark 2 as paid" }).click()
  await expect(dialog.getByLabel("Reference of the payments")).toBeFocused()
  await dialog.getByLabel("Reference of the payments").fill("SEPA batch 7")
  await expectAccessible(page)
  await page.keyboard.press("Enter")
  await expect(page.getByText("1 payout marked as paid")).toBeVisible()
  const missed = page.getByRole("status").filter({ hasText: "Not marked as paid" })
  await expect(missed).toContainText(`${id}-1 (it was marked already, with the reference SEPA 1)`)
  await expect(bar).toHaveCount(0)
  await expectAccessible(page)
  await missed.getByRole("button", { name: "Dismiss" }).click()
  await expect(missed).toHaveCount(0)
  await expect(page.getByText("Completed").first()).toBeVisible()
  await expect(page.getByRole("checkbox")).toHaveCount(0)
  const marked = await customer.api.call("GET", `/distribution/${distribution_id}/payouts`)
  expect(marked.data.map((one: { external_reference: string }) => one.external_reference).sort()).toEqual([
    "SEPA 1",
    "SEPA batch 7",
  ])
})

test("all payouts that match are marked as paid, also those on other pages", async ({ page, customer }) => {
  const { distribution_id } = await started(customer)
  await changeAnswer(page, "distribution.searchPayouts", (list) => {
    list.data.length = 1
    list.next_cursor = "more"
  })
  await page.goto(section(customer, `distributions/${distribution_id}`))
  const bar = page.getByRole("region", { name: "Selected payouts" })
  await page.getByRole("checkbox", { name: "Select all on this page" }).check()
  await bar.getByRole("button", { name: "Select all 2 matching" }).click()
  await expect(bar).toContainText("All 2 matching selected")
  await bar.getByRole("button", { name: "Mark as paid" }).click()
  const dialog = page.getByRole("dialog", { name: "Mark 2 payouts as paid outside Vouch?" })
  await expect(dialog).toContainText("100 in all.")
  await dialog.getByLabel("Reference of the payments").fill("SEPA batch 8")
  await dialog.getByRole("button", { name: "Mark 2 as paid" }).click()
  await expect(page.getByText("2 payouts marked as paid")).toBeVisible()
  await expect(page.getByText("Completed").first()).toBeVisible()
})
