import { newWallet } from "./api.ts"
import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

test("filters are saved by name, found again, renamed and deleted by keyboard", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const name = `Fund ${newWallet().slice(0, 6)}`
  await page.goto(section(customer, "attestations"))
  await expect(heading(page, "Attestations")).toBeVisible()
  const menu = page.getByRole("button", { name: "Saved filters" })
  await menu.focus()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("menuitem", { name: "Save current filters…" })).toHaveAttribute("aria-disabled", "true")
  await page.keyboard.press("Escape")

  await showFilters(page)
  await page.getByLabel("Status").selectOption("pending")
  await page.getByRole("searchbox", { name: "Search" }).fill("fund-")
  await expect(page).toHaveURL(/q=fund-/)
  await menu.focus()
  await page.keyboard.press("Enter")
  const item = page.getByRole("menuitem", { name: "Save current filters…" })
  await expect(item).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Save current filters" })
  await dialog.getByLabel("Name").fill(name)
  await expectAccessible(page)
  await page.keyboard.press("Enter")
  await expect(dialog).toHaveCount(0)
  const used = page.getByRole("button", { name: `${name} (saved filter)` })
  await expect(used).toBeVisible()
  await expectAccessible(page)

  // Later, starting from the unfiltered list.
  await page.goto(section(customer, "attestations"))
  await menu.click()
  await page.getByRole("menuitem", { name }).click()
  await showFilters(page)
  await expect(page.getByLabel("Status")).toHaveValue("pending")
  await expect(page.getByRole("searchbox", { name: "Search" })).toHaveValue("fund-")
  await expect(used).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel("Status")).toHaveValue("")

  await menu.click()
  await page.getByRole("menuitem", { name: "Rename or delete…" }).click()
  const edit = page.getByRole("dialog", { name: "Saved filters" })
  await edit.getByRole("form", { name }).getByLabel("Name").fill(`${name} renamed`)
  await edit.getByRole("button", { name: "Rename" }).click()
  await expect(edit.getByRole("form", { name: `${name} renamed` })).toBeVisible()
  await expectAccessible(page)
  await edit.getByRole("button", { name: `Delete ${name} renamed` }).click()
  await expect(edit.getByText("No saved filters.")).toBeVisible()
  await page.keyboard.press("Escape")
  await menu.click()
  await expect(page.getByText("Nothing saved yet.")).toBeVisible()
})

for (const list of ["investors", "reviews", "events", "logs", "audit"]) {
  test(`${list} have saved filters, too`, async ({ page, customer }) => {
    await page.goto(section(customer, list))
    await expect(page.getByRole("button", { name: "Saved filters" })).toBeVisible()
  })
}
