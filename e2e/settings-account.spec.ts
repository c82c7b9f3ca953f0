import type { Page } from "@playwright/test"
import { TOTP } from "otpauth"
import { origin } from "./api.ts"
import { memberOfNewAccount, PASSWORD, section, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"

async function signIn(page: Page, email: string, password = PASSWORD) {
  await page.getByLabel("Email", { exact: true }).fill(email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

async function signOut(page: Page) {
  await page.getByRole("button", { name: /^Account of/ }).click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await expect(heading(page, "Sign in")).toBeVisible()
}

test("a second factor is turned on with a code, required at the next sign-in, and turned off", async ({
  browser,
  customer,
}) => {
  const { page, email, context } = await memberOfNewAccount(browser, customer)
  await expectAccessible(page)
  await page.getByRole("button", { name: "Turn on" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Your password").fill("not the password")
  await dialog.getByRole("button", { name: "Continue" }).click()
  await expect(dialog.getByText("Wrong password.")).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel("Your password").fill(PASSWORD)
  await dialog.getByRole("button", { name: "Continue" }).click()
  await expect(dialog.getByRole("img", { name: /QR code/ })).toBeVisible()
  await expectAccessible(page)
  const secret = (await dialog.locator("[data-secret]").textContent())!.replaceAll(" ", "")
  const totp = new TOTP({ secret, period: 30, digits: 6 })
  await dialog.getByRole("textbox", { name: "Code" }).fill(totp.generate())
  await dialog.getByRole("button", { name: "Confirm" }).click()
  const codes = dialog.getByRole("list", { name: "Backup codes" }).getByRole("listitem")
  await expect(codes.first()).toBeVisible()
  await expectAccessible(page)
  const [backupCode] = await codes.allInnerTexts()
  const download = page.waitForEvent("download")
  await dialog.getByRole("button", { name: "Download" }).click()
  expect((await download).suggestedFilename()).toBe("vouch-backup-codes.txt")
  await dialog.getByRole("button", { name: "I have stored these codes" }).click()
  await expect(page.getByRole("button", { name: "New backup codes" })).toBeVisible()
  await expectAccessible(page)

  await signOut(page)
  await signIn(page, email)
  await expect(heading(page, "Second factor")).toBeVisible()
  await expectAccessible(page)
  // The next code, because each works once.
  await page.getByLabel("Code").fill(totp.generate({ timestamp: Date.now() + 30_000 }))
  await page.getByRole("button", { name: "Confirm" }).click()
  await expect(heading(page, "Overview")).toBeVisible()

  await signOut(page)
  await signIn(page, email)
  await page.getByRole("button", { name: "Use a backup code" }).click()
  await page.getByLabel("Backup code").fill(backupCode!)
  await page.getByRole("button", { name: "Confirm" }).click()
  await expect(heading(page, "Overview")).toBeVisible()

  await page.goto(section(customer, "settings?part=account"))
  await page.getByRole("button", { name: "New backup codes" }).click()
  await dialog.getByLabel("Your password").fill(PASSWORD)
  await dialog.getByRole("button", { name: "Create codes" }).click()
  await expect(codes.first()).toBeVisible()
  expect(await codes.allInnerTexts()).not.toContain(backupCode)
  await dialog.getByRole("button", { name: "I have stored these codes" }).click()
  await page.getByRole("button", { name: "Turn off" }).click()
  const question = page.getByRole("alertdialog")
  await question.getByLabel("Your password").fill(PASSWORD)
  await question.getByRole("button", { name: "Turn off" }).click()
  await expect(page.getByRole("button", { name: "Turn on" })).toBeVisible()
  await context.close()
})

test("a passkey is added with a name, signs in without a password, and is removed", async ({ browser, customer }) => {
  const { page, context } = await memberOfNewAccount(browser, customer)
  const cdp = await context.newCDPSession(page)
  await cdp.send("WebAuthn.enable")
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await expect(page.getByText("No passkeys yet.")).toBeVisible()
  await page.getByRole("button", { name: "Add passkey" }).click()
  const dialog = page.getByRole("dialog", { name: "Add a passkey" })
  await dialog.getByLabel("Name").fill("Blue key")
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Add" }).click()
  await expect(page.getByRole("list", { name: "Passkeys" })).toContainText("Blue key")
  await expectAccessible(page)

  await signOut(page)
  await page.getByRole("button", { name: "Use a passkey" }).click()
  await expect(heading(page, "Overview")).toBeVisible()

  await page.goto(section(customer, "settings?part=account"))
  await page.getByRole("button", { name: "Remove Blue key" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
  await expect(page.getByText("No passkeys yet.")).toBeVisible()
  await context.close()
})

test("members see where they are signed in, sign out one browser, then all", async ({ browser, customer }) => {
  const { page, email, context } = await memberOfNewAccount(browser, customer)
  const other = await browser.newContext({
    storageState: { cookies: [], origins: [] },
    baseURL: origin,
    userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
  })
  const there = await other.newPage()
  await there.goto("/sign-in")
  await signIn(there, email)
  await expect(heading(there, "Overview")).toBeVisible()

  await page.reload()
  const list = page.getByRole("list", { name: "Where you are signed in" })
  await expect(list.getByRole("listitem")).toHaveCount(2)
  await expect(list.getByText("This browser")).toHaveCount(1)
  await expectAccessible(page)
  await page.getByRole("button", { name: "Sign out Firefox on Windows" }).click()
  await expect(list.getByRole("listitem")).toHaveCount(1)
  await there.goto(section(customer, "overview"))
  await expect(heading(there, "Sign in")).toBeVisible()

  await signIn(there, email)
  await expect(heading(there, "Overview")).toBeVisible()
  await page.getByRole("button", { name: "Sign out everywhere" }).click()
  await expectAccessible(page)
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign out everywhere" }).click()
  await expect(heading(page, "Sign in")).toBeVisible()
  await there.goto(section(customer, "overview"))
  await expect(heading(there, "Sign in")).toBeVisible()
  await other.close()
  await context.close()
})

test("name and password are changed: the old password stops working, and other browsers are signed out", async ({
  browser,
  customer,
}) => {
  const { page, email, context } = await memberOfNewAccount(browser, customer)
  await page.getByLabel("Name", { exact: true }).fill("Grace Hopper")
  await page.getByRole("button", { name: "Save name" }).click()
  await expect(page.getByRole("button", { name: "Account of Grace Hopper" })).toBeVisible()

  const other = await browser.newContext({ storageState: { cookies: [], origins: [] }, baseURL: origin })
  const there = await other.newPage()
  await there.goto("/sign-in")
  await signIn(there, email)
  await expect(heading(there, "Overview")).toBeVisible()

  await page.getByLabel("Current password").fill("not the password")
  await page.getByLabel("New password").fill("another long password")
  await page.getByRole("button", { name: "Change password" }).click()
  await expect(page.getByText("Wrong password.")).toBeVisible()
  await page.getByLabel("Current password").fill(PASSWORD)
  await page.getByRole("button", { name: "Change password" }).click()
  await expect(page.getByText("Your password is changed")).toBeVisible()
  await expect(page.getByLabel("New password")).toHaveValue("")

  await there.goto(section(customer, "overview"))
  await expect(heading(there, "Sign in")).toBeVisible()
  await signIn(there, email)
  await expect(there.getByRole("alert").filter({ hasText: "Wrong email or password." })).toBeVisible()
  await signIn(there, email, "another long password")
  await expect(heading(there, "Overview")).toBeVisible()
  await other.close()
  await context.close()
})

test("theme and time zone are chosen: the page has the theme at once, and all times use the named zone", {
  tag: "@phone",
}, async ({ browser, customer }) => {
  const { page, context } = await memberOfNewAccount(browser, customer)
  await page.emulateMedia({ colorScheme: "light" })
  const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await canvas()
  await page.getByRole("combobox", { name: "Theme" }).selectOption("Dark")
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo")
  // On narrow screens, only the offset.
  const zoneNote = page.getByRole("link", { name: /^Times in (Asia\/Tokyo|(GMT|UTC)\+9)$/ })
  await expect(zoneNote).toHaveCount(0)
  await page.getByRole("button", { name: "Save display" }).click()
  await expect(zoneNote).toBeVisible()
  expect(await canvas()).not.toBe(light)
  await expectAccessible(page)

  // Checks the page in both themes.
  await page.emulateMedia({ colorScheme: "light" })
  expect(await canvas()).not.toBe(light)

  // In the server's HTML, so that no other theme flashes first.
  const html = await (await page.request.get(section(customer, "overview"))).text()
  expect(html).toMatch(/<html[^>]* data-theme="dark"/)
  await page.reload()
  expect(await canvas()).not.toBe(light)
  await expect(page.getByRole("combobox", { name: "Theme" })).toHaveValue("dark")
  await expect(page.getByLabel("Time zone")).toHaveValue("Asia/Tokyo")
  await page.goto(section(customer, "audit"))
  const time = page.locator("time").first()
  const at = new Date((await time.getAttribute("datetime"))!)
  const shown = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit" },
  }).format(at)
  await expect(time).toContainText(shown)

  await page.goto(section(customer, "settings?part=account"))
  await page.getByRole("combobox", { name: "Theme" }).selectOption("System")
  await page.getByRole("button", { name: "Save display" }).click()
  await expect(page.getByText("Display settings saved").last()).toBeVisible()
  expect(await canvas()).toBe(light)
  await context.close()
})

test("a member turns off an email notification, and it stays off", { tag: "@phone" }, async ({ browser, customer }) => {
  const { page, context } = await memberOfNewAccount(browser, customer)
  const card = page.getByRole("region", { name: "Email notifications" })
  await expect(card.getByRole("checkbox")).toHaveCount(3)
  await expect(card.getByText("This server cannot send email")).toBeVisible()
  const endpoints = card.getByRole("checkbox", { name: /^Webhook endpoints/ })
  await expect(endpoints).toBeChecked()
  await endpoints.press("Space")
  await card.getByRole("button", { name: "Save notifications" }).press("Enter")
  await expect(page.getByText("Notifications saved")).toBeVisible()
  await expect(endpoints).not.toBeChecked()
  await expect(card.getByRole("checkbox", { name: /^Low SOL/ })).toBeChecked()
  await expectAccessible(page)
  await page.reload()
  await expect(endpoints).not.toBeChecked()
  await context.close()
})

test("a role without emails sees that it gets none", async ({ browser, customer }) => {
  const { page, context } = await memberOfNewAccount(browser, customer, "viewer")
  await expect(page.getByText("Your role gets no emails.")).toBeVisible()
  await context.close()
})
