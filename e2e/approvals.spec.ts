import type { Page } from "@playwright/test"
import { approve, open } from "./approving.ts"
import { addCodes, test as base, createCustomer, expect, expectAccessible, heading, section } from "./dashboard.ts"
import { held, justify, open as openAct, row, rules } from "./servicing.ts"

// Policies bind every request of a workspace, so these tests have their own.
const test = base.extend<object, { customer: Awaited<ReturnType<typeof createCustomer>> }>({
  customer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
    async ({}, use) => use(await createCustomer()),
    { scope: "worker" },
  ],
})

const policies = (page: Page) => page.getByRole("table", { name: "Approval policies" }).getByRole("row")
const dialog = (page: Page) => page.getByRole("dialog")

test("a member sets a policy, a mint under it waits for another one, and loosening the policy does, too", {
  tag: ["@journey", "@phone"],
}, async ({ page, as, customer }) => {
  const { api } = customer
  const id = `fund_${Math.random().toString(36).slice(2, 8)}`
  const config = { id, name: `Fund ${id}`, symbol: "FND", decimals: 2, required_schema: "kyc_individual_v1" }
  await api.call("POST", "/mint-configs", config)
  const [{ wallet }, { wallet: other }] = [
    await api.verifiedWallet({ externalId: id }),
    await api.verifiedWallet({ externalId: id }),
  ]
  await api.call("POST", "/token/mint", { user_pubkey: other, mint_config: id, amount: "5" })
  await expect.poll(async () => (await api.call("GET", `/mint-config/${id}`)).supply).toBe("5")
  const officer = await as("compliance")
  await officer.goto(section(customer, "settings?part=account"))
  await addCodes(officer)

  await test.step("the policies' page shows the defaults, and a policy is added with the keyboard", async () => {
    await page.goto(section(customer, "approvals"))
    await page.getByRole("link", { name: "approval policies" }).click()
    await expect(policies(page)).toHaveText([
      /^What needs approval/,
      /^Redeem or force a transfer while paused.*Default/,
      /^Mint with a date in the past.*Default/,
      /^Change an approval policy.*Default/,
    ])
    await expectAccessible(page)
    await page.getByRole("button", { name: "Add policy" }).press("Enter")
    await dialog(page).getByRole("button", { name: "Add policy" }).press("Enter")
    await expect(dialog(page).getByText("Select at least one.")).toBeVisible()
    const token = dialog(page).getByLabel("Token", { exact: true })
    const minimum = dialog(page).getByLabel(/^Minimum/)
    const people = dialog(page).getByRole("group", { name: "People" })
    await people.getByRole("checkbox", { name: "Revoke many verifications" }).press("Space")
    await expect(minimum).toHaveAccessibleName("Minimum number of verifications (optional)")
    await people.getByRole("checkbox", { name: "Revoke many verifications" }).press("Space")
    await expect(minimum).toHaveCount(0)
    await expect(token).toHaveCount(0)
    await dialog(page).getByRole("checkbox", { name: "Mint", exact: true }).press("Space")
    await token.selectOption(id)
    await minimum.fill("1,000")
    await dialog(page).getByRole("checkbox", { name: "Owner", exact: true }).press("Space")
    await expectAccessible(page)
    await dialog(page).getByLabel("Hours that a request waits").press("Enter")
    await expect(policies(page).nth(1)).toContainText(`Mint${id}, 1,000 or more`)
    await expect(policies(page).nth(1)).toContainText("1 approval by a compliance officer")
  })

  await test.step("the form to mint says what the amount needs before it is sent", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    await page.getByRole("button", { name: "Mint", exact: true }).click()
    await dialog(page).getByLabel("Wallet", { exact: true }).fill(wallet)
    await dialog(page).getByLabel("Amount").fill("999")
    const rules = dialog(page).getByRole("region", { name: "Rules check" })
    await expect(rules).toContainText("All rules passed.")
    await expect(rules).not.toContainText("policy")
    await dialog(page).getByLabel("Amount").fill("1000")
    await expect(rules).toContainText("A policy requires 1 approval by a compliance officer.")
    await expectAccessible(page)
    await dialog(page).getByRole("button", { name: "Request approval" }).click()
    await expect(dialog(page)).toContainText("Nothing has happened yet.")
    await open(page).click()
    await expect(page.getByText("You made this request")).toBeVisible()
    await expectAccessible(page)
  })

  await test.step("the officer sees that it waits, and approves it", async () => {
    await officer.goto(section(customer, "approvals"))
    const menu = officer.getByRole("button", { name: "Menu" })
    if (await menu.isVisible()) await menu.click()
    await expect(
      officer.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Approvals/ }),
    ).toHaveText("Approvals1 waiting")
    if (await menu.isVisible()) await officer.keyboard.press("Escape")
    await officer.getByRole("link", { name: /^Mint/ }).click()
    await expect(heading(officer, /^Mint 1,000 FND to /)).toBeVisible()
    await expect(officer.getByText("All rules pass now.")).toBeVisible()
    const asked = officer.getByRole("region", { name: "Request", exact: true })
    await expect(asked).toContainText("1,000 FND")
    // What the wallet holds before and after.
    await expect(asked.getByRole("table", { name: "Balances in FND" }).getByRole("row").nth(1)).toHaveText(/01,000$/)
    await expect(asked.getByRole("table").getByRole("row").nth(1)).toContainText(wallet)
    await expect(asked.getByRole("table").getByRole("row").nth(2)).toHaveText(`All wallets of ${id}51,005`)
    await expect(officer.getByText(/^\d+ rules pass$/)).toBeVisible()
    await expectAccessible(officer)
    await approve(officer)
    await expect(officer.getByRole("link", { name: "Open the operation" })).toBeVisible()
    await expect(asked.getByRole("table")).toHaveCount(0)
    await expectAccessible(officer)
    await expect.poll(async () => (await api.call("GET", `/mint-config/${id}`)).supply).toBe("1005")
  })

  await test.step("a looser policy waits, with a link to the request, and the officer sees what would change", async () => {
    await page.goto(section(customer, "settings?part=approvals"))
    await page.getByRole("button", { name: "Change the policy for Mint" }).click()
    await page.getByRole("menuitem", { name: "Edit" }).click()
    await dialog(page)
      .getByLabel(/^Minimum amount/)
      .fill("5000")
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(policies(page).nth(1)).toContainText("A change waits for another member’s approval.")
    await expect(policies(page).nth(1)).toContainText("1,000 or more")
    await expectAccessible(page)
    await officer.goto(await open(page).getAttribute("href").then(String))
    await expect(officer.getByRole("region", { name: "Request" })).toContainText("1,000 →would become 5,000")
    await expectAccessible(officer)
    await approve(officer)
    await expect(policies(page).nth(1)).toContainText("5,000 or more")
    await expect(open(page)).toHaveCount(0)
  })

  await test.step("a stricter policy takes effect at once, and deleting it waits", async () => {
    await page.getByRole("button", { name: "Change the policy for Mint" }).click()
    await page.getByRole("menuitem", { name: "Edit" }).click()
    await dialog(page).getByLabel("Hours that a request waits").fill("24")
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(page.getByText("Policy saved")).toBeVisible()
    await page.getByRole("button", { name: "Change the policy for Mint" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await expect(policies(page).nth(1)).toContainText("Its deletion waits for another member’s approval.")
    await officer.goto(await open(page).getAttribute("href").then(String))
    await expect(officer.getByText("The policy would be deleted.")).toBeVisible()
    await approve(officer)
    // The defaults, below the heading.
    await expect(policies(page)).toHaveCount(4)
  })
})

test("a paused token is redeemed once another member has approved it, and stays paused", {
  tag: ["@phone"],
}, async ({ page, as, customer }) => {
  const { api } = customer
  const { id, wallet } = await held(customer, "10")
  const officer = await as("compliance")
  await officer.goto(section(customer, "settings?part=account"))
  await addCodes(officer)
  await api.call("POST", `/mint-config/${id}/pause`)

  await page.goto(section(customer, `tokens/${id}`))
  const sheet = await openAct(page, row(page, wallet), "Redeem")
  await sheet.getByLabel("Amount").fill("4")
  await sheet.getByRole("checkbox", { name: "The holder agreed" }).check()
  await justify(sheet, { reason: "redemption", reference: "Order 4711", wallet })
  await expect(rules(sheet)).toContainText("mint_paused")
  await expect(sheet.getByRole("button", { name: "Redeem", exact: true })).toBeDisabled()
  await sheet.getByRole("checkbox", { name: "Act even though the token is paused" }).press("Space")
  await expect(rules(sheet)).toContainText("A policy requires 1 approval")
  await expectAccessible(page)
  await sheet.getByRole("button", { name: "Request approval" }).click()
  await open(page).click()
  await expect(page.getByRole("region", { name: "Request" })).toContainText("Even though the token is pausedYes")

  await officer.goto(page.url())
  await expect(officer.getByText("Allowed now. It overrides one rule.")).toBeVisible()
  await expect(officer.getByRole("region", { name: "Request" })).toContainText("ReasonRedemption")
  await expectAccessible(officer)
  await approve(officer)
  await expect.poll(async () => (await api.call("GET", `/mint-config/${id}`)).supply).toBe("6")
  expect((await api.call("GET", `/mint-config/${id}`)).paused).toBe(true)
})

test("a viewer reads policies and changes none", async ({ as, customer }) => {
  const page = await as("viewer")
  await page.goto(section(customer, "settings?part=approvals"))
  await expect(policies(page).nth(1)).toContainText("Default")
  await expect(page.getByRole("button", { name: "Add policy" })).toHaveCount(0)
  await expectAccessible(page)
})
