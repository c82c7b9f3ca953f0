import { expect, expectAccessible, heading, section, test } from "./dashboard.ts"

test("a schema's page leads to its tokens, its verifications by status and its sessions", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const { wallet } = await customer.api.verifiedWallet()
  await page.goto(section(customer, "schemas"))
  await page.getByRole("row").filter({ hasText: "kyc_individual_v1" }).getByRole("link").first().click()
  const tokens = page.getByRole("region", { name: "Tokens that require it" })
  await expect(tokens.getByRole("link").first()).toBeVisible()
  const settings = page.getByRole("region", { name: "Settings" })
  await expect(settings).toContainText("VOUCH_TEST_PROVIDER")
  await expectAccessible(page)
  await page.getByRole("link", { name: /verified attestations$/ }).click()
  await expect(heading(page, "Attestations")).toBeVisible()
  await expect(page).toHaveURL(/schema=kyc_individual_v1&status=verified/)
  await expect(page.getByRole("row", { name: wallet })).toBeVisible()
  await page.goBack()
  await page.getByRole("link", { name: "Open sessions" }).click()
  await expect(heading(page, "Sessions")).toBeVisible()
  await expect(page.getByLabel("Schema", { exact: true })).toHaveValue("kyc_individual_v1")
})

test("a new schema has no use yet, can be changed on its page, and an unknown one says so", async ({
  page,
  customer,
  traffic,
}) => {
  const id = `residency_${Date.now().toString(36)}`
  await customer.api.call("POST", "/schemas", { id, name: "Residency", validity_days: 30 })
  await page.goto(section(customer, `schemas/${id}`))
  await expect(heading(page, "Residency")).toBeVisible()
  await expect(page.getByText("No token requires it")).toBeVisible()
  await page.getByRole("button", { name: "Edit" }).click()
  const form = page.getByRole("dialog")
  await form.getByLabel("Valid for (days)").fill("90")
  await form.getByRole("button", { name: "Save" }).click()
  await expect(page.getByRole("region", { name: "Settings" })).toContainText("90 days")
  traffic.allow(/status of 404/)
  await page.goto(section(customer, "schemas/unheard_of"))
  await expect(heading(page, "Schema not found")).toBeVisible()
  await expectAccessible(page)
})
