import { decide, newWallet, report } from "./api.ts"
import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

test("a session shows whether its link was opened, what it waits for, and its link and QR code", {
  tag: "@phone",
}, async ({ page, browser, customer }) => {
  const name = `person-${newWallet().slice(0, 6)}`
  const { url, wallet, sessionId } = await customer.api.start({ externalId: name })
  await page.goto(section(customer, "sessions"))
  const row = page.getByRole("row").filter({ hasText: name })
  await expect(row).toContainText("Awaiting investor")
  await expect(row).toContainText("Link not opened yet")
  // The investor has another browser, where no member is signed in.
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const investor = await context.newPage()
  await investor.goto(url)
  await expect(row).toContainText("Opened the link")
  await context.close()
  await decide(sessionId, "in_review")
  await expect(row).toContainText("In review")
  await expect(row).toContainText("Awaiting a review")
  await expectAccessible(page)

  const actions = page.getByRole("button", { name: `Actions for the session of ${wallet}` })
  await actions.click()
  await expectAccessible(page)
  await page.getByRole("menuitem", { name: "Show link and QR code" }).click()
  const dialog = page.getByRole("dialog", { name: "Send this link to the investor" })
  await expect(dialog.getByRole("region", { name: "Session link" })).toHaveText(url)
  await expect(dialog.getByRole("img", { name: "QR code for the session link" })).toBeVisible()
  await expect(dialog).toContainText(/expires in \d+/)
  const mail = await dialog.getByRole("link", { name: "Email" }).getAttribute("href")
  expect(decodeURIComponent(mail!)).toContain(url)
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Done" }).click()

  await showFilters(page)
  const wait = page.getByLabel("Waits for")
  await wait.selectOption("A review")
  await expect(row).toBeVisible()
  await wait.selectOption("The chain")
  await expect(row).toHaveCount(0)
  await expect(page.getByText("No open session matches the filters.")).toBeVisible()
})

test("a session in review shows the vendor's reason and opens its review", async ({ page, customer }) => {
  const { wallet, sessionId } = await customer.api.start()
  const reason = "Sanctions screening: 1 possible match"
  await report(sessionId, { decision: "in_review", reason })
  await page.goto(section(customer, "sessions"))
  const row = page.getByRole("row", { name: wallet })
  await expect(row).toContainText(reason)
  await expect(page.getByRole("button", { name: `Copy link of ${wallet}` })).toHaveCount(0)
  await row.getByRole("link", { name: `Open review of ${wallet}` }).click()
  await expect(heading(page, new RegExp(reason))).toBeVisible()
})

test("the link of a session is copied in its row, whose page leads back to the sessions", async ({
  page,
  context,
  customer,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const { url, wallet } = await customer.api.start()
  await page.goto(section(customer, "sessions"))
  await page.getByRole("button", { name: `Copy link of ${wallet}` }).click()
  await expect(page.getByRole("row", { name: wallet }).getByRole("status")).toHaveText("Copied")
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  await page.evaluate(() => navigator.clipboard.writeText(""))
  await page.getByRole("button", { name: `Actions for the session of ${wallet}` }).click()
  await page.getByRole("menuitem", { name: "Copy link" }).click()
  await expect(page.getByText("Link copied")).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)

  await page.getByRole("row", { name: wallet }).getByRole("link").first().click()
  await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible()
  const here = page.getByRole("navigation", { name: "Main" }).locator("[aria-current=page]")
  await expect(here).toHaveText("Sessions")
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Sessions" }).click()
  await expect(heading(page, "Sessions")).toBeVisible()
})

test("the page of an open session shows its state and link, and cancels it", { tag: "@phone" }, async ({
  page,
  context,
  customer,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const name = `open-${newWallet().slice(0, 6)}`
  const redirectUrl = "https://example.com/welcome"
  const { url, wallet, sessionId } = await customer.api.start({ externalId: name, redirectUrl })
  const { attestation_id } = await customer.api.status(wallet)
  await page.goto(section(customer, `attestations/${attestation_id}?from=sessions`))
  await expect(heading(page, `${name}: Individual identity Awaiting investor`)).toBeVisible()
  await expect(page.getByText("Link not opened yet")).toBeVisible()
  const session = page.getByRole("region", { name: "Session", exact: true })
  await expect(session).toContainText(/Link expires\s*in \d+/)
  await expect(session).toContainText(sessionId)
  await expect(session).toContainText(redirectUrl)
  await expect(page.getByRole("button", { name: "Revoke" })).toHaveCount(0)
  await expect(page.getByRole("link", { name: "Open hosted page" })).toHaveCount(0)
  await expectAccessible(page)

  await page.getByRole("button", { name: "Copy link" }).click()
  await expect(page.getByRole("status").filter({ hasText: "Copied" })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: "Show link and QR code" }).click()
  const link = page.getByRole("dialog", { name: "Send this link to the investor" })
  await expect(link.getByRole("region", { name: "Session link" })).toHaveText(url)
  await link.getByRole("button", { name: "Done" }).click()

  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: "Cancel session" }).click()
  const question = page.getByRole("alertdialog", { name: "Cancel this session?" })
  await question.getByLabel("Internal reason").fill("Started by mistake")
  await question.getByRole("button", { name: "Cancel session" }).click()
  await expect(heading(page, /: Individual identity Revoked$/)).toBeVisible()
  await expect(session).toHaveCount(0)
  await expect(page.getByRole("button", { name: "Copy link" })).toHaveCount(0)
  await expectAccessible(page)
})

test("a rejected or expired verification offers a new session for the same wallet and person", async ({
  page,
  customer,
}) => {
  const name = `refused-${newWallet().slice(0, 6)}`
  const { wallet, sessionId } = await customer.api.start({ externalId: name })
  const { attestation_id } = await customer.api.status(wallet)
  await decide(sessionId, "rejected")
  await page.goto(section(customer, `attestations/${attestation_id}`))
  await page.getByRole("button", { name: "Start a new session" }).click()
  const form = page.getByRole("dialog", { name: "Start a session" })
  await expect(form.locator("input[type=hidden]")).toHaveValue(wallet)
  await expect(form.getByLabel("External id (optional)")).toHaveValue(name)
  await form.getByRole("button", { name: "Start session" }).click()
  await expect(page.getByRole("dialog", { name: "Send this link to the investor" })).toBeVisible()
})

test("a closed session gets a new link for the same wallet, schema and person", async ({ page, customer }) => {
  const name = `again-${newWallet().slice(0, 6)}`
  const { wallet, sessionId } = await customer.api.start({ externalId: name })
  await customer.api.call("POST", `/kyc/session/${sessionId}/cancel`, {})
  await page.goto(section(customer, "sessions?state=closed"))
  const row = page.getByRole("row").filter({ hasText: name })
  await expect(row).toContainText("Cancelled")
  await expect(row).toContainText("Link not opened yet")
  await row.getByRole("button", { name: `Actions for the session of ${wallet}` }).click()
  await page.getByRole("menuitem", { name: "New link" }).click()
  const form = page.getByRole("dialog", { name: "Start a session" })
  await expect(form.locator("input[type=hidden]")).toHaveValue(wallet)
  await expect(form.getByLabel("External id (optional)")).toHaveValue(name)
  await form.getByRole("button", { name: "Start session" }).click()
  const link = page.getByRole("dialog", { name: "Send this link to the investor" })
  await expect(link.getByRole("region", { name: "Session link" })).not.toContainText(sessionId)
  await link.getByRole("button", { name: "Done" }).click()
  await page.getByRole("tab", { name: /^Open/ }).click()
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Awaiting investor")
})

test("a viewer sees sessions without links and actions that change them", async ({ as, customer }) => {
  const { wallet } = await customer.api.start()
  const page = await as("viewer")
  await page.goto(section(customer, "sessions"))
  await expect(heading(page, "Sessions")).toBeVisible()
  await page.getByRole("button", { name: `Actions for the session of ${wallet}` }).click()
  await expect(page.getByRole("menu").getByRole("menuitem")).toHaveText(["View investor"])
  await expect(page.getByRole("button", { name: /^Copy link/ })).toHaveCount(0)
})
