import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

test("the dates of a list are one control, with presets and days of one's own", {
  tag: "@phone",
}, async ({ page, customer }) => {
  await page.goto(section(customer, "attestations?from=2026-01-03&to=2026-02-04"))
  await showFilters(page)
  // Links and saved filters from before have the same parameters.
  const dates = page.getByRole("button", { name: /^Started ./ })
  await expect(dates).toHaveAccessibleName(/^Started 3 Jan.* – 4 Feb/)
  await dates.focus()
  await page.keyboard.press("Enter")
  const panel = page.getByRole("dialog", { name: "Started" })
  await expect(panel.getByRole("button", { name: "Any time" })).toBeFocused()
  await expect(panel.getByLabel("From")).toHaveValue("2026-01-03")
  await expect(panel.getByLabel("To")).toHaveValue("2026-02-04")
  await expectAccessible(page)
  await panel.getByRole("button", { name: "Any time" }).press("Enter")
  await expect(panel).toBeHidden()
  await expect(dates).toBeFocused()
  await expect(dates).toHaveAccessibleName("Started Any time")
  await expect(page).not.toHaveURL(/from=|to=/)

  await dates.click()
  await panel.getByRole("button", { name: "Last 7 days" }).click()
  await expect(dates).toHaveAccessibleName("Started Last 7 days")
  await expect(page).toHaveURL(/from=20\d\d-\d\d-\d\d$/)
  await dates.click()
  await panel.getByRole("button", { name: "Last 24 hours" }).click()
  await expect(dates).toHaveAccessibleName("Started Last 24 hours")
  await expect(page).toHaveURL(/from=24h$/)
  await dates.click()
  await panel.getByLabel("To").fill("2026-02-04")
  await expect(page).toHaveURL(/attestations\?to=2026-02-04$/)
  await page.keyboard.press("Escape")
  await expect(dates).toBeFocused()
  await expect(dates).toHaveAccessibleName(/^Started Until 4 Feb/)
})

test("the filters of a list are in one row on a small laptop", async ({ page, customer }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const list of ["investors", "attestations", "reviews", "events", "logs", "audit"] as const) {
    await page.goto(section(customer, list))
    await expect(heading(page, new RegExp(list, "i"))).toBeVisible()
    const filters = page.getByRole("search", { name: "Filters" })
    await expect(filters.getByRole("button", { name: "Saved filters" })).toBeVisible()
    const fields = filters.locator("input:visible, select:visible, button:visible")
    const bottoms = await fields.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().bottom)))
    expect(Math.max(...bottoms) - Math.min(...bottoms), list).toBeLessThan(4)
  }
})

test("rare filters are behind a button that counts those that are set", async ({ page, customer }) => {
  await customer.api.call("GET", "/schemas")
  await page.goto(section(customer, "logs"))
  const more = page.getByRole("button", { name: /^More filters/ })
  const method = page.getByLabel("Method")
  await expect(more).toHaveAttribute("aria-expanded", "false")
  await expect(method).toBeHidden()
  await more.focus()
  await page.keyboard.press("Enter")
  await method.selectOption("HEAD")
  await expect(more).toHaveAccessibleName("More filters (1)")
  await expect(page.getByText("No matching requests")).toBeVisible()
  await expectAccessible(page)
  // A link with one of them shows them.
  await page.reload()
  await expect(method).toHaveValue("HEAD")
  await page.getByRole("button", { name: "Clear" }).click()
  await expect(more).toHaveAccessibleName("More filters")
})
