import { expect, section, test } from "./dashboard.ts"

// Actions that cannot be undone, such as canceling a session and erasing a person.

test("a session is cancelled, and its page says who ended it", async ({ page, customer }) => {
  const { url, wallet } = await customer.api.start({ externalId: "to-be-cancelled" })
  await page.goto(section(customer, "sessions"))
  const row = page.getByRole("row").filter({ hasText: "to-be-cancelled" })
  await row.getByRole("button", { name: `Actions for the session of ${wallet}` }).click()
  await page.getByRole("menuitem", { name: "Cancel session" }).click()
  await page.getByRole("button", { name: "Cancel session" }).click()
  await expect(row).toHaveCount(0)
  await page.getByRole("tab", { name: "Closed" }).click()
  await expect(page.getByRole("row").filter({ hasText: "to-be-cancelled" })).toContainText("Cancelled")
  await page.goto(url)
  await expect(page.getByText("ended this verification before it was decided")).toBeVisible()
})

test("a person is erased after the typed confirmation, and the page says so", async ({ page, customer }) => {
  const { wallet } = await customer.api.start({ externalId: "to-be-erased" })
  const { data } = await customer.api.call("GET", `/kyc/sessions?pubkey=${wallet}`)
  await page.goto(section(customer, `investors/${data[0].investor_id}`))
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: "Erase data" }).click()
  const dialog = page.getByRole("alertdialog")
  await dialog.getByRole("button", { name: "Erase data" }).click()
  await expect(dialog.getByText("Type ERASE to continue.")).toBeVisible()
  await dialog.getByRole("textbox").fill("ERASE")
  await dialog.getByRole("button", { name: "Erase data" }).click()
  await expect(page.getByText("Erased", { exact: true })).toBeVisible()
  await expect(page.getByText("to-be-erased")).toHaveCount(0)
})

test("claims that are shown disappear once the person was erased", async ({ page, as, customer }) => {
  const { wallet } = await customer.api.verifiedWallet()
  const { data } = await customer.api.call("GET", `/investors?wallet=${wallet}`)
  const address = section(customer, `investors/${data[0].investor_id}`)
  await page.goto(address)
  const claims = page.getByRole("region", { name: "Claims" })
  await claims.getByRole("button", { name: "Show claims" }).click()
  await expect(claims).toContainText("United States (US)")
  const other = await as("compliance")
  await other.goto(address)
  await other.getByRole("button", { name: "More actions" }).click()
  await other.getByRole("menuitem", { name: "Erase data" }).click()
  const dialog = other.getByRole("alertdialog")
  await dialog.getByRole("textbox").fill("ERASE")
  await dialog.getByRole("button", { name: "Erase data" }).click()
  await expect(claims).toContainText("None are stored.")
  await expect(claims).not.toContainText("United States")
})

test("reminders are turned on, the page says that no mail can be sent, and they are turned off", async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "settings?part=workspace"))
  await page.getByRole("button", { name: "Turn on", exact: true }).click()
  await expect(page.getByRole("button", { name: "Turn off", exact: true })).toBeVisible()
  await expect(page.getByText("This server cannot send email")).toBeVisible()
  // Leaves the setting unchanged for the next test of this workspace.
  await page.getByRole("button", { name: "Turn off", exact: true }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click()
  await expect(page.getByRole("button", { name: "Turn on", exact: true })).toBeVisible()
})
