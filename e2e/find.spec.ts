import type { Page } from "@playwright/test"
import { expect, expectAccessible, heading, memberOfNewAccount, section, test } from "./dashboard.ts"

const search = (page: Page) => page.getByRole("dialog", { name: "Search everything" })

test("Ctrl K finds a page by a few letters, and a wallet, by keyboard", async ({ page, customer }) => {
  const { wallet } = await customer.api.start({})
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  await page.keyboard.press("Control+k")
  const box = search(page).getByRole("combobox")
  await expect(box).toBeFocused()
  await expectAccessible(page)
  await box.fill("web")
  await expect(search(page).getByRole("option", { selected: true })).toContainText("Webhooks")
  await page.keyboard.press("Enter")
  await expect(heading(page, "Webhooks")).toBeVisible()

  await page.keyboard.press("Control+k")
  await box.fill(wallet)
  await expect(search(page).getByRole("option", { selected: true })).toContainText("Investor")
  const session = search(page).getByRole("option", { name: /^Start session for / })
  await expect(session).toHaveCount(1)
  await expectAccessible(page)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/investors\/inv_/)

  await page.keyboard.press("Control+k")
  await box.fill("zzzzzzzz")
  await expect(search(page).getByText("Nothing found.")).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(search(page)).toHaveCount(0)
})

test("what is typed while the search loads is kept", async ({ page, customer }) => {
  await page.addInitScript(() => {
    // Nothing loads in advance.
    window.requestIdleCallback = () => 0
  })
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  await page.route("**/_next/static/**", async (route) => {
    await opened
    await route.continue()
  })
  await page.keyboard.press("Control+k")
  await page.keyboard.type("garc")
  await page.keyboard.press("Enter")
  await expect(search(page).getByRole("textbox")).toHaveValue("garc")
  open()
  await expect(search(page).getByRole("combobox")).toBeFocused()
  await page.keyboard.type("ia")
  await expect(search(page).getByRole("combobox")).toHaveValue("garcia")
})

test("the arrow keys wrap around, and the search opens by its button", { tag: "@phone" }, async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "overview"))
  await page.getByRole("button", { name: "Search everything" }).click()
  const options = search(page).getByRole("option")
  await expect(options.first()).toBeVisible()
  // Before anything is typed, Enter opens nothing.
  await expect(search(page).getByRole("option", { selected: true })).toHaveCount(0)
  await page.keyboard.press("Enter")
  await expect(options.first()).toBeVisible()
  await page.keyboard.press("ArrowUp")
  await expect(options.last()).toHaveAttribute("aria-selected", "true")
  await expect(options.last()).toBeInViewport()
  await page.keyboard.press("ArrowDown")
  await expect(options.first()).toHaveAttribute("aria-selected", "true")
  await options.filter({ hasText: "Keyboard shortcuts" }).click()
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
  await expectAccessible(page)
})

test("a list is downloaded and a key is rotated from the search", async ({ page, customer }) => {
  await page.goto(section(customer, "overview"))
  await page.keyboard.press("Control+k")
  await search(page).getByRole("combobox").fill("export inv")
  const download = page.waitForEvent("download")
  await search(page).getByRole("option", { name: "Export investors" }).click()
  expect((await download).suggestedFilename()).toMatch(/^investors.*\.csv$/)
  await page.keyboard.press("Control+k")
  await search(page).getByRole("combobox").fill("rotate")
  await search(page).getByRole("option", { name: /^Rotate/ }).first().click()
  await expect(page.getByRole("dialog", { name: /^Rotate/ })).toBeVisible()
  await expectAccessible(page)
})

test("J and K move through the rows of a list, and Enter opens one", async ({ page, customer }) => {
  await customer.api.verifiedWallet()
  await customer.api.verifiedWallet()
  await page.goto(section(customer, "attestations"))
  const links = page.locator("tbody").getByRole("link")
  await expect(links).toHaveCount(2)
  await page.keyboard.press("j")
  await expect(links.first()).toBeFocused()
  await page.keyboard.press("j")
  await expect(links.last()).toBeFocused()
  // There is no next one.
  await page.keyboard.press("j")
  await expect(links.last()).toBeFocused()
  await page.keyboard.press("k")
  await expect(links.first()).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/attestations\/att_/)
})

test("single keys open pages, do nothing while typing, and can be turned off", async ({ page, customer }) => {
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await page.goto(section(customer, "attestations"))
  await expect(heading(page, "Attestations")).toBeVisible()
  await expect(page.getByRole("button", { name: "Search everything" })).toBeVisible()
  await page.keyboard.press("/")
  await expect(page.getByRole("searchbox").first()).toBeFocused()
  await page.keyboard.type("ge?/")
  await expect(page.getByRole("searchbox").first()).toHaveValue("ge?/")
  await expect(shortcuts).toHaveCount(0)
  await page.getByRole("searchbox").first().blur()
  await expect(page).toHaveURL(/[?&]q=/)
  await page.keyboard.press("g")
  await page.keyboard.press("e")
  await expect(heading(page, "Events")).toBeVisible()
  await page.keyboard.press("?")
  await expect(shortcuts).toBeVisible()
  await expectAccessible(page)
  await shortcuts.getByRole("checkbox", { name: /^Single-letter shortcuts/ }).uncheck()
  await page.keyboard.press("Escape")
  await expect(shortcuts).toHaveCount(0)
  await page.keyboard.press("?")
  await page.keyboard.press("g")
  await page.keyboard.press("t")
  await expect(heading(page, "Events")).toBeVisible()
  await expect(shortcuts).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole("button", { name: "Search everything" })).toBeVisible()
  await page.keyboard.press("?")
  await page.keyboard.press("Control+k")
  await expect(search(page)).toBeVisible()
  await expect(shortcuts).toHaveCount(0)
})

test("Enter opens what was found for the text, not for an earlier one", async ({ page, customer }) => {
  const run = Date.now()
  const [first, second] = [`first-person-${run}`, `second-person-${run}`]
  for (const externalId of [first, second]) await customer.api.start({ externalId })
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  await page.keyboard.press("Control+k")
  const box = search(page).getByRole("combobox")
  await box.fill(first)
  await expect(search(page).getByRole("option", { name: /Investor/ })).toContainText(first)
  await box.fill(second)
  await page.keyboard.press("Enter")
  await expect(heading(page, new RegExp(second))).toBeVisible()
})

test("an action opens its page with the form, by what people type for it", async ({ page, customer }) => {
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  const box = search(page).getByRole("combobox")
  for (const [text, action, title] of [
    ["mint", "Mint USREF", "Mint USREF"],
    ["new key", "Create API key", "Create an API key"],
    ["new webhook", "Add webhook endpoint", "Add a webhook endpoint"],
    ["start session", "Start session", "Start a session"],
  ] as const) {
    await page.keyboard.press("Control+k")
    await box.fill(text)
    await search(page).getByRole("option", { name: action }).click()
    const form = page.getByRole("dialog", { name: title })
    await expect(form).toBeVisible()
    await expect(page).not.toHaveURL(/form=/)
    await page.keyboard.press("Escape")
    await expect(form).toHaveCount(0)
  }
})

test("the search lists what was opened last, by ids that are gone after signing out", async ({ browser, customer }) => {
  const { page, context } = await memberOfNewAccount(browser, customer)
  const { wallet } = await customer.api.start({ externalId: "emma-larsson-1008" })
  await page.goto(section(customer, "investors"))
  await page.getByRole("searchbox").first().fill("1008 emma")
  await expect(page).toHaveURL(/[?&]q=/)
  await page.getByRole("link", { name: "emma-larsson-1008" }).click()
  await expect(page).toHaveURL(/investors\/inv_/)
  await page.keyboard.press("Control+k")
  const recent = search(page).getByRole("group", { name: "Recent" }).getByRole("option")
  await expect(recent).toHaveCount(1)
  await expect(recent).toContainText("emma-larsson-1008")
  await expect(recent).toContainText("Pending")
  await expect(recent).toContainText(`${wallet.slice(0, 8)}…${wallet.slice(-8)}`)
  await expectAccessible(page)
  const kept = () => page.evaluate(() => JSON.stringify(localStorage))
  expect(await kept()).toContain("inv_")
  expect(await kept()).not.toMatch(new RegExp(`emma|${wallet}`))
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: /^Account of/ }).click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await expect(page).toHaveURL(/sign-in/)
  expect(await kept()).not.toContain("inv_")
  await context.close()
})

test("a person who is found can be minted to and verified again at once", async ({ page, customer }) => {
  const externalId = `only-person-${Date.now()}`
  const { wallet } = await customer.api.start({ externalId })
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  const box = search(page).getByRole("combobox")
  await page.keyboard.press("Control+k")
  await box.fill(externalId)
  await search(page)
    .getByRole("option", { name: `Mint USREF to ${externalId}` })
    .click()
  const mint = page.getByRole("dialog", { name: "Mint USREF" })
  await expect(mint).toContainText(externalId)
  await page.keyboard.press("Escape")
  await page.keyboard.press("Control+k")
  await box.fill(externalId)
  await search(page)
    .getByRole("option", { name: `Start session for ${externalId}` })
    .click()
  const start = page.getByRole("dialog", { name: "Start a session" })
  await expect(start.getByLabel("Wallet")).toHaveValue(wallet)
})

test("the search says what a role does not allow", async ({ as, customer }) => {
  const page = await as("viewer")
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  await page.keyboard.press("Control+k")
  await search(page).getByRole("combobox").fill("mint usref")
  await expect(search(page).getByText("Your role does not allow: Mint USREF.")).toBeVisible()
  await expect(search(page).getByRole("option", { name: /^Mint/ })).toHaveCount(0)
  await expectAccessible(page)
})

test("an error's code finds its documentation and the requests that it refused", async ({ page, customer }) => {
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  await page.keyboard.press("Control+k")
  const box = search(page).getByRole("combobox")
  await box.fill("country_not_allowed")
  const errors = search(page).getByRole("group", { name: "Errors" }).getByRole("option")
  await expect(errors).toHaveText([/^country_not_allowed/, "Requests with country_not_allowed"])
  await expectAccessible(page)
  await errors.last().click()
  await expect(heading(page, "Logs")).toBeVisible()
  await expect(page.getByLabel("Error code")).toHaveValue("country_not_allowed")
})

test("a person's verification can be revoked from the search", async ({ page, customer }) => {
  const externalId = `leaving-person-${Date.now()}`
  await customer.api.start({ externalId })
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  await page.keyboard.press("Control+k")
  await search(page).getByRole("combobox").fill(`revoke ${externalId}`)
  await expect(search(page).getByRole("option", { selected: true })).toHaveText(
    new RegExp(`^Revoke .+ of ${externalId}$`),
  )
  await page.keyboard.press("Enter")
  await expect(page.getByRole("alertdialog", { name: new RegExp(`^Revoke ${externalId}`) })).toBeVisible()
  await expect(page).not.toHaveURL(/form=/)
})
