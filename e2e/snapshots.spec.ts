import type { Locator, Page } from "@playwright/test"
import { expect, expectAccessible, section, showFilters, test } from "./dashboard.ts"
import { held, row } from "./servicing.ts"

/** Changes the moment of the register in the control that shows this one. */
async function chooseMoment(page: Page, shown: string, change: (panel: Locator) => Promise<void>) {
  await showFilters(page)
  await page.getByRole("button", { name: `As of ${shown}`, exact: true }).click()
  await change(page.getByRole("dialog", { name: "As of" }))
  await page.keyboard.press("Escape")
}

test("the register at a moment is shown, and a snapshot of it is taken and downloaded", {
  tag: ["@phone"],
}, async ({ page, customer }) => {
  const { id, wallet } = await held(customer, "100")

  await test.step("the register lists who holds the token at the last final moment", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    await page.getByRole("tab", { name: "Register" }).click()
    const table = page.getByRole("table", { name: "Register" })
    await expect(async () => {
      await page.reload()
      await expect(table.getByRole("row").nth(1)).toContainText(/100\s*100\.00%/)
    }).toPass()
    await expectAccessible(page)
    await expect(table.getByRole("row").nth(1)).toContainText(wallet.slice(0, 4))
    await showFilters(page)
    await page.getByLabel("Show", { exact: true }).selectOption("By wallet")
    await expect(table.getByRole("row").filter({ hasText: wallet.slice(0, 4) })).toContainText("100")
    await expectAccessible(page)
    await expect(row(page, "Total")).toContainText(/100\s*100\.00%/)
    await chooseMoment(page, "Now", async (panel) => panel.getByLabel("Day").fill("2020-01-01"))
    await expect(page.getByText("No one held the token at that moment.")).toBeVisible()
    await expectAccessible(page)
    await chooseMoment(page, "End of 1 Jan 2020", async (panel) => {
      await panel.getByRole("button", { name: "Choose a time" }).click()
      await panel.getByLabel("Time").fill("12:30:15")
      await expectAccessible(page)
    })
    await expect(page).toHaveURL(/at=2020-01-01T12:30:15/)
    await chooseMoment(page, "1 Jan 2020, 12:30:15", async (panel) =>
      panel.getByRole("button", { name: "Now" }).click(),
    )
    await expect(row(page, "Total")).toBeVisible()
  })

  await test.step("a snapshot of a past second is ready soon", async () => {
    await page.getByRole("tab", { name: "Snapshots" }).click()
    await page.getByRole("button", { name: "Take a snapshot" }).click()
    const sheet = page.getByRole("dialog")
    await sheet.getByLabel("Name").fill("Record date 2019")
    await sheet.getByLabel("Record date").fill("2019-12-31T23:59:59")
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Take the snapshot" }).click()
    await expect(sheet).toBeHidden()
    const row = page.getByRole("row").filter({ hasText: "Record date 2019" })
    await expect(row.getByText("Ready").first()).toBeAttached()
    await expectAccessible(page)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      row.getByRole("link", { name: "Download holders" }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^snap_\w+\.csv$/)
  })
})

test("the register counts and flags holders who are not verified, and says what to do", { tag: ["@phone"] }, async ({
  page,
  customer,
}) => {
  const { api } = customer
  const { id, wallet, attestationId } = await held(customer, "100")
  const other = await api.verifiedWallet()
  await api.call("POST", "/token/mint", { user_pubkey: other.wallet, mint_config: id, amount: "300" })
  await page.goto(section(customer, `tokens/${id}?tab=register&group=wallet`))
  await expect(async () => {
    await page.reload()
    await expect(page.getByText("All 2 holders are verified.")).toBeVisible({ timeout: 2000 })
  }).toPass()
  await api.revoke(attestationId, "The passport was forged")
  await expect(async () => {
    await page.reload()
    await expect(page.getByText("1 of 2 holders is not verified.")).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(row(page, wallet)).toContainText(/Revoked on \d+ \w+ 20\d\d/)
  await expect(row(page, other.wallet)).not.toContainText("Revoked")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Show only these" }).click()
  await expect(row(page, other.wallet)).toHaveCount(0)
  await expect(row(page, wallet).getByRole("link", { name: `Start a session for ${wallet}` })).toHaveAttribute(
    "href",
    /\/sessions\?wallet=\w+&schema=kyc_individual_v1$/,
  )
  await showFilters(page)
  await page.getByLabel("Show", { exact: true }).selectOption("")
  await expect(row(page, wallet)).toContainText("Revoked on")
  await expectAccessible(page)
})

test("an investor's wallets are listed below their row", async ({ page, customer }) => {
  const { id } = await held(customer, "1")
  const externalId = `two-wallets-${Date.now()}`
  const wallets = [await customer.api.verifiedWallet({ externalId }), await customer.api.verifiedWallet({ externalId })]
  for (const { wallet } of wallets)
    await customer.api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount: "20" })
  await page.goto(section(customer, `tokens/${id}?tab=register`))
  const theirs = page.getByRole("row").filter({ hasText: externalId })
  await expect(async () => {
    await page.reload()
    await expect(theirs).toContainText("40", { timeout: 2000 })
  }).toPass()
  const toggle = theirs.getByRole("button", { name: "2 wallets" })
  await toggle.press("Enter")
  await expect(toggle).toHaveAttribute("aria-expanded", "true")
  for (const { wallet } of wallets) {
    const cells = page
      .getByRole("row")
      .filter({ hasText: wallet.slice(0, 4) })
      .getByRole("cell")
    await expect(cells).toHaveText([new RegExp(wallet.slice(0, 4)), "20", /^48\.78%$/, "Verified"])
  }
  await expectAccessible(page)
})

test("the register says which of its rows a page shows", async ({ page, customer }) => {
  const { api } = customer
  const { id } = await held(customer, "3")
  const { wallet } = await api.verifiedWallet()
  await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount: "2" })
  // Pages of one row.
  await page.route(/token\.registerView/, (route) =>
    route.continue({ url: route.request().url().replace("limit%22%3A20", "limit%22%3A1") }),
  )
  await page.goto(section(customer, `tokens/${id}?tab=register`))
  const pages = page.getByRole("navigation", { name: "Pages of register" })
  await expect(async () => {
    await page.reload()
    await expect(pages).toContainText("1 of 2", { timeout: 2000 })
  }).toPass()
  await pages.getByRole("button", { name: "Next" }).click()
  await expect(row(page, wallet)).toBeVisible()
  await expect(pages).toContainText("2 of 2")
  // The address says how many rows are before.
  await page.reload()
  await expect(pages).toContainText("2 of 2")
  await expectAccessible(page)
  await pages.getByRole("button", { name: "Previous" }).click()
  await expect(pages).toContainText("1 of 2")
})

test("a column's head orders the register by it, and again the other way round", async ({ page, customer }) => {
  const { api } = customer
  const { id } = await held(customer, "5.5")
  const names = [`Sort-a-${Date.now()}`, `sort-b-${Date.now()}`]
  for (const [index, externalId] of names.entries()) {
    const { wallet } = await api.verifiedWallet({ externalId })
    await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount: `${20 - index * 10}` })
  }
  await page.goto(section(customer, `tokens/${id}?tab=register`))
  const table = page.getByRole("table", { name: "Register" })
  const balances = async () => (await table.locator("tbody td:nth-child(2)").allInnerTexts()).map((text) => text.trim())
  await expect(async () => {
    await page.reload()
    // As many decimals in each row, so that the points line up.
    await expect.poll(balances, { timeout: 2000 }).toEqual(["20.00", "10.00", "5.50"])
  }).toPass()
  const head = (name: string) => table.getByRole("columnheader", { name })
  await expect(head("Balance")).toHaveAttribute("aria-sort", "descending")
  await head("Balance").getByRole("button").click()
  await expect(head("Balance")).toHaveAttribute("aria-sort", "ascending")
  await expect.poll(balances).toEqual(["5.50", "10.00", "20.00"])
  await head("Investor").getByRole("button").click()
  await expect(head("Investor")).toHaveAttribute("aria-sort", "ascending")
  await expect(head("Balance")).not.toHaveAttribute("aria-sort")
  await expect.poll(balances).toEqual(["20.00", "10.00", "5.50"])
  await head("Investor").getByRole("button").click()
  await expect.poll(balances).toEqual(["10.00", "20.00", "5.50"])
  await expectAccessible(page)
  await expect(row(page, "Total")).toContainText(/35\.50\s*100\.00%/)
})

test("the register shows its rows even if the holders cannot be counted", async ({ page, customer, traffic }) => {
  traffic.allow(/503/)
  const { id } = await held(customer, "4")
  const other = await customer.api.verifiedWallet()
  await customer.api.call("POST", "/token/mint", { user_pubkey: other.wallet, mint_config: id, amount: "96" })
  let fails = true
  await page.route(/\/api\/trpc\/token\.registerCounts/, (route) =>
    fails ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
  )
  await page.goto(section(customer, `tokens/${id}?tab=register`))
  const table = page.getByRole("table", { name: "Register" })
  await expect(async () => {
    await page.reload()
    await expect(table).toContainText("96.00%", { timeout: 2000 })
  }).toPass()
  await expect(table).toContainText("4.00%")
  const alert = page.getByRole("alert").filter({ hasText: "could not be counted" })
  await expect(alert).toBeVisible()
  await expectAccessible(page)
  fails = false
  await alert.getByRole("button", { name: "Try again" }).click()
  await expect(page.getByText("All 2 investors are verified.")).toBeVisible()
  await expect(alert).toBeHidden()
})
