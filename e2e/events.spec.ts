import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

test("an event is found by its subject, and shows and links to its deliveries", {
  tag: "@phone",
}, async ({ page, customer, traffic }) => {
  traffic.allow(/404 \(Not Found\)/)
  const { wallet } = await customer.api.start({ externalId: `noah-${Date.now().toString(36)}` })
  await page.goto(section(customer, "events"))
  await expect(heading(page, "Events")).toBeVisible()
  await showFilters(page)
  await page.getByRole("searchbox", { name: "About" }).fill(wallet)
  // Opening a session creates a pending attestation. The newest event comes first.
  const rows = page.getByRole("row").filter({ hasText: /session\.opened|attestation\.pending/ })
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText("attestation.pending")
  await expect(rows.first()).toContainText("noah-")
  await expectAccessible(page)
  await page.getByLabel("Type").selectOption("session.opened")
  await expect(rows).toHaveCount(1)
  await rows.getByRole("link").press("Enter")
  await expect(heading(page, "session.opened")).toBeVisible()
  await expect(page.getByText(`"user_pubkey": "${wallet}"`)).toBeVisible()
  await expectAccessible(page)
  await page.locator("dd").getByRole("link", { name: "noah" }).click()
  await expect(page).toHaveURL(/attestations\/att_/)

  await page.goto(section(customer, "events?about=nothing-is-called-so"))
  await expect(page.getByText("No matching events")).toBeVisible()
  await showFilters(page)
  await page.getByRole("button", { name: "Clear" }).click()
  await expect(page.getByRole("searchbox", { name: "About" })).toHaveValue("")
  await page.goto(section(customer, "events/evt_1111111111111111111111"))
  await expect(page.getByText("Event not found in this workspace")).toBeVisible()
})
