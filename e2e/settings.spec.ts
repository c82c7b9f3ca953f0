import { randomBytes } from "node:crypto"
import { origin } from "./api.ts"
import { memberOfNewAccount, PASSWORD, section, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"

test("an owner invites by a link, and the new member gets the role, another role, and is removed", {
  tag: ["@journey", "@phone"],
}, async ({ page, browser, customer }) => {
  await page.goto(section(customer, "settings"))
  await expect(heading(page, "Settings")).toBeVisible()
  await page.getByRole("button", { name: "Invite member" }).click()
  const dialog = page.getByRole("dialog", { name: "Invite a member" })
  await expect(dialog.getByLabel("Email (optional)")).toBeFocused()
  await dialog.getByRole("radio", { name: "Viewer Read only, without claims or reviews" }).check()
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Invite", exact: true }).click()
  const link = (await dialog.getByRole("region", { name: "Link" }).textContent())!
  expect(link.startsWith(`${origin}/join?token=`)).toBe(true)
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Done" }).click()

  const email = `${randomBytes(6).toString("hex")}@example.com`
  const name = `Vera ${email.slice(0, 6)}`
  const guest = await browser.newContext({ storageState: { cookies: [], origins: [] }, baseURL: origin })
  const theirs = await guest.newPage()
  await theirs.goto(link)
  await theirs.getByLabel("Name", { exact: true }).fill(name)
  await theirs.getByLabel("Email", { exact: true }).fill(email)
  await theirs.getByLabel("Password", { exact: true }).fill(PASSWORD)
  await theirs.getByRole("button", { name: "Create account" }).click()
  await expect(heading(theirs, "Overview")).toBeVisible()
  await theirs.goto(section(customer, "settings"))
  await expect(theirs.getByRole("row", { name })).toContainText("Viewer")
  await expect(theirs.getByRole("button", { name: /^Change / })).toHaveCount(0)
  await expect(theirs.getByRole("button", { name: "Invite member" })).toHaveCount(0)

  await page.reload()
  await page.getByRole("button", { name: `Change ${name}` }).click()
  await expectAccessible(page)
  await page.getByRole("menuitemradio", { name: /^Developer/ }).click()
  await expect(page.getByRole("row", { name })).toContainText("Developer")
  await page.getByRole("button", { name: `Change ${name}` }).click()
  await page.getByRole("menuitem", { name: "Remove" }).click()
  await expectAccessible(page)
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
  await expect(page.getByRole("row", { name })).toHaveCount(0)

  await theirs.reload()
  await expect(theirs.getByRole("heading", { level: 1 })).toBeVisible()
  await expect(heading(theirs, "Settings")).toHaveCount(0)
  await guest.close()
})

test("the keys that a removed member knows are shown and revoked with a click", async ({ page, browser, customer }) => {
  const { page: theirs, email, context } = await memberOfNewAccount(browser, customer)
  for (const [mode, name] of [
    ["test", "Theirs in test"],
    ["live", "Theirs in live"],
  ] as const) {
    const made = await theirs.request.post("/api/trpc/key.create", {
      data: { name, scopes: ["kyc:read"] },
      headers: { "x-vouch-workspace": customer.workspaces[mode], origin },
    })
    expect(made.status()).toBe(200)
  }
  await page.goto(section(customer, "settings"))
  const row = page.getByRole("row").filter({ hasText: email })
  await row.getByRole("button", { name: /^Change / }).click()
  await page.getByRole("menuitem", { name: "Remove" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
  const dialog = page.getByRole("dialog", { name: /^API keys .* knows$/ })
  await expect(dialog.getByRole("listitem")).toHaveCount(2)
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Revoke Theirs in live (live)" }).click()
  await expect(dialog.getByText("Revoked", { exact: true })).toBeVisible()
  await dialog.getByRole("button", { name: "Keep the rest" }).click()
  await expect(row).toHaveCount(0)

  await page.goto(section(customer, "keys"))
  await expect(page.getByRole("row", { name: /Theirs in test/ })).toContainText("knows this key")
  await expectAccessible(page)
  await context.close()
})

test("a revoked invitation does not work", async ({ page, browser, customer }) => {
  const email = `${randomBytes(6).toString("hex")}@example.com`
  await page.goto(section(customer, "settings"))
  await page.getByRole("button", { name: "Invite member" }).click()
  const dialog = page.getByRole("dialog", { name: "Invite a member" })
  await dialog.getByLabel("Email (optional)").fill(email)
  await dialog.getByRole("button", { name: "Invite", exact: true }).click()
  const link = (await dialog.getByRole("region", { name: "Link" }).textContent())!
  await dialog.getByRole("button", { name: "Done" }).click()
  await page.getByRole("button", { name: `Revoke the invitation for ${email}` }).click()
  await expectAccessible(page)
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
  await expect(page.getByRole("row", { name: email })).toHaveCount(0)

  const guest = await browser.newContext({ storageState: { cookies: [], origins: [] }, baseURL: origin })
  const theirs = await guest.newPage()
  await theirs.goto(link)
  await expect(heading(theirs, "This link does not work")).toBeVisible()
  await guest.close()
})

test("the only owner cannot leave, and the page says why", async ({ page, traffic, customer }) => {
  traffic.allow(/409 \(Conflict\)/)
  await page.goto(section(customer, "settings"))
  await page.getByRole("button", { name: "Change Olivia Owner" }).click()
  await page.getByRole("menuitem", { name: "Leave account" }).click()
  const question = page.getByRole("alertdialog")
  await question.getByRole("button", { name: "Leave" }).click()
  await expect(question.getByRole("alert")).toContainText("only owner")
  await expectAccessible(page)
  await question.getByRole("button", { name: "Cancel" }).click()
  await expect(heading(page, "Settings")).toBeVisible()
})

test("a viewer cannot change anything on the page, and the server refuses direct calls", async ({ as, customer }) => {
  const page = await as("viewer")
  await page.goto(section(customer, "settings"))
  await expect(page.getByRole("row", { name: "Olivia Owner" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Invite member" })).toHaveCount(0)
  await expect(page.getByRole("button", { name: /^(Change|Revoke)/ })).toHaveCount(0)
  await expectAccessible(page)
  const refused = await page.request.post("/api/trpc/member.invite", {
    data: { role: "owner" },
    headers: { "x-vouch-workspace": customer.workspaces.test, origin },
  })
  expect(refused.status()).toBe(403)
})

test("the workspace tab shows its facts and its issuer", async ({ page, customer }) => {
  await page.goto(section(customer, "settings?part=workspace"))
  await expect(page.getByLabel("Company name")).toHaveValue(customer.account)
  await expect(page.getByText(`${origin}/v1`)).toBeVisible()
  await expect(page.getByRole("button", { name: /copy the issuer’s address/ })).toBeVisible()
  await expectAccessible(page)
})

test("an owner names the company, and all other members see it", async ({ page, as, customer }) => {
  await page.goto(section(customer, "settings?part=workspace"))
  const name = page.getByLabel("Company name")
  await expect(name).toHaveValue(customer.account)
  const other = `${customer.account} Ltd`
  await name.fill(other)
  await page.getByRole("button", { name: "Save company name" }).click()
  await expect(page.getByText("Company name saved")).toBeVisible()
  await expect(page.getByRole("banner")).toContainText(other)
  await expectAccessible(page)
  const viewer = await as("viewer")
  await viewer.goto(section(customer, "settings?part=workspace"))
  await expect(viewer.getByText(other, { exact: true }).last()).toBeVisible()
  await expect(viewer.getByLabel("Company name")).toHaveCount(0)
  // Restores the name that other tests expect.
  await name.fill(customer.account)
  await page.getByRole("button", { name: "Save company name" }).click()
  await expect(page.getByRole("banner")).not.toContainText(other)
})

test("on a phone, the selected tab is clear of the faded edges", async ({ page, customer }) => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(section(customer, "settings?part=approvals"))
  const tab = page.getByRole("tab", { name: "Approvals" })
  await expect(tab).toHaveAttribute("aria-selected", "true")
  const right = await tab.evaluate(
    (tab) => tab.parentElement!.getBoundingClientRect().right - tab.getBoundingClientRect().right,
  )
  expect(right).toBeGreaterThanOrEqual(48)
})
