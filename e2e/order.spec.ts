import { decide, newWallet } from "./api.ts"
import { expect, expectAccessible, heading, section, showFilters, sortBy, test } from "./dashboard.ts"

test("attestations and investors by expiry show verified ones until another status is chosen", async ({
  page,
  customer,
}) => {
  const name = `order-${newWallet().slice(0, 6)}`
  const [first, second] = [await customer.api.start({ externalId: `${name}-1` }), newWallet()]
  await decide(first.sessionId, "approved")
  await expect.poll(async () => (await customer.api.status(first.wallet)).status).toBe("verified")
  await customer.api.start({ externalId: `${name}-2` }, second)
  for (const [path, table, label] of [
    ["attestations", "Attestations", "Status"],
    ["investors", "Investors", "Verification"],
  ] as const) {
    await page.goto(section(customer, `${path}?q=${name}`))
    const rows = page.getByRole("table", { name: table }).getByRole("row")
    const status = page.getByLabel(label, { exact: true })
    await expect(rows).toHaveCount(3)
    await expect(status.getByRole("option")).toHaveText([
      ...["All (2)", "Pending (1)", "Verified (1)", "Rejected (0)", "Revoked (0)", "Expired (0)"],
    ])
    await sortBy(page, /started/i, "Oldest first")
    await expect(page.getByRole("columnheader", { name: /started/i })).toHaveAttribute("aria-sort", "ascending")
    await expect(rows.nth(1)).toContainText(path === "investors" ? `${name}-1` : first.wallet.slice(0, 4))
    await expectAccessible(page)
    const expires = page.getByRole("columnheader", { name: "Expires" })
    await expect(expires).not.toHaveAttribute("aria-sort")
    await sortBy(page, /Expires/, "Expiring first")
    await expect(expires).toHaveAttribute("aria-sort", "ascending")
    await expect(rows).toHaveCount(2)
    await expect(status).toHaveValue("verified")
    await expectAccessible(page)
    await status.selectOption("pending")
    await expect(expires).not.toHaveAttribute("aria-sort")
    await expect(rows).toHaveCount(2)
    await expect(rows.nth(1)).toContainText("Pending")
  }
})

test("sessions show the counts of open and closed ones, and can be sorted", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const open = [await customer.api.start(), await customer.api.start()]
  const rejected = await customer.api.start()
  await decide(rejected.sessionId, "rejected")
  await expect.poll(async () => (await customer.api.status(rejected.wallet)).status).toBe("rejected")
  await page.goto(section(customer, "sessions"))
  await expect(heading(page, "Sessions")).toBeVisible()
  await expect(page.getByRole("tab", { name: /^Open \d+$/ })).toBeVisible()
  const first = page.getByRole("table").getByRole("row").nth(1)
  await expect(first).toContainText(open[1]!.wallet)
  await sortBy(page, /Started/, "Oldest first")
  await expect(first).not.toContainText(open[1]!.wallet)
  await expectAccessible(page)
  await page.getByRole("tab", { name: /^Closed \d+$/ }).click()
  const status = page.getByLabel("Status")
  await showFilters(page)
  await status.selectOption({ value: "rejected" })
  await expect(page).toHaveURL(/status=rejected/)
  await page.getByRole("button", { name: "Clear" }).click()
  await expect(page.getByRole("table", { name: "Closed sessions" }).getByRole("row").nth(1)).toContainText(
    rejected.wallet,
  )
  await status.selectOption({ value: "expired" })
  await expect(page.getByText("No matching sessions")).toBeVisible()
  await expectAccessible(page)
})
