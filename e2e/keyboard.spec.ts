import type { Locator, Page } from "@playwright/test"
import { decide, newWallet } from "./api.ts"
import { expect, heading, PASSWORD, reviewOf, section, test } from "./dashboard.ts"

/** The most tab stops between two targets: those of a list with 50 rows. */
const STOPS = 400

/** Presses Tab until the element has focus; fails if it cannot be reached. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await expect(wanted).toBeVisible()
  for (let stop = 0; stop < STOPS; stop++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`${wanted} is not reached by Tab`)
}

async function press(page: Page, wanted: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, wanted)
  await page.keyboard.press(key)
}

async function enter(page: Page, wanted: Locator, text: string): Promise<void> {
  await tabTo(page, wanted)
  await page.keyboard.insertText(text)
}

const goTo = async (page: Page, name: string) => {
  await press(page, page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }))
  await expect(heading(page, name)).toBeVisible()
}

test.describe("by keyboard alone", () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  test("sign in, create a key, start a session, mint, revoke, review, view claims, sign out", async ({
    page,
    customer,
  }) => {
    const { wallet } = await customer.api.verifiedWallet()
    const left = await customer.api.start()
    await decide(left.sessionId, "in_review")
    await reviewOf(customer, left.wallet)
    await page.goto(section(customer, "overview"))

    await enter(page, page.getByLabel("Email", { exact: true }), customer.email)
    await enter(page, page.getByLabel("Password", { exact: true }), PASSWORD)
    await page.keyboard.press("Enter")
    await expect(heading(page, "Overview")).toBeVisible()
    await press(page, page.getByRole("link", { name: "Skip to content" }))
    await expect(page.getByRole("main")).toBeFocused()

    await test.step("a key", async () => {
      await goTo(page, "API keys")
      await press(page, page.getByRole("button", { name: "Create key", exact: true }))
      const dialog = page.getByRole("dialog", { name: "Create an API key" })
      await enter(page, dialog.getByLabel("Name"), "By keyboard")
      await press(page, dialog.getByRole("button", { name: "All", exact: true }))
      await press(page, dialog.getByRole("button", { name: "Create key" }))
      await press(page, page.getByRole("checkbox", { name: "I have stored this key" }), "Space")
      await press(page, page.getByRole("button", { name: "Done" }))
      await expect(page.getByRole("row").filter({ hasText: "By keyboard" })).toContainText("Active")
    })

    await test.step("a session", async () => {
      await goTo(page, "Sessions")
      await press(page, page.getByRole("button", { name: "Start session" }).first())
      const dialog = page.getByRole("dialog")
      await enter(page, dialog.getByLabel("Wallet"), newWallet())
      await press(page, dialog.getByRole("button", { name: "Start session" }))
      await expect(page.getByRole("img", { name: "QR code for the session link" })).toBeVisible()
      await page.keyboard.press("Escape")
      await expect(dialog).toBeHidden()
    })

    await test.step("a mint", async () => {
      await goTo(page, "Tokens")
      await press(
        page,
        page
          .getByRole("main")
          .getByRole("link", { name: /US Real Estate Fund/ })
          .first(),
      )
      await press(page, page.getByRole("button", { name: "Mint", exact: true }))
      const sheet = page.getByRole("dialog")
      await enter(page, sheet.getByLabel("Wallet", { exact: true }), wallet)
      await enter(page, sheet.getByLabel("Amount", { exact: true }), "12.5")
      await expect(page.getByRole("region", { name: "Rules check" })).toContainText("All rules passed.")
      await press(page, sheet.getByRole("button", { name: "Mint", exact: true }))
      await expect(page.getByRole("button", { name: "Mint more" })).toBeVisible()
      await page.keyboard.press("Escape")
      await expect(sheet).toBeHidden()
    })

    await test.step("a revocation", async () => {
      await goTo(page, "Attestations")
      await press(page, page.getByRole("row", { name: wallet }).getByRole("link").first())
      await press(page, page.getByRole("button", { name: "Revoke" }))
      const dialog = page.getByRole("alertdialog")
      await enter(page, dialog.getByLabel("Internal reason"), "Asked for by the holder")
      await press(page, dialog.getByRole("button", { name: "Revoke" }))
      await expect(heading(page, / Rejected$| Revoked$/)).toBeVisible()
    })

    await test.step("a review, and what is known of its person", async () => {
      const navigation = page.getByRole("navigation", { name: "Main" })
      await press(page, navigation.getByRole("link", { name: /^Reviews/ }))
      await press(page, page.getByRole("row").filter({ hasText: left.wallet }).getByRole("link"))
      await press(page, page.getByRole("button", { name: "Assign to me" }))
      await enter(page, page.getByLabel("Note", { exact: true }), "Read by keyboard")
      await press(page, page.getByRole("button", { name: "Add note" }))
      await expect(page.getByRole("region", { name: "History" })).toContainText("Read by keyboard")
      await press(page, page.getByRole("main").getByRole("button", { name: "Approve" }))
      await enter(page, page.getByLabel("Internal reason"), "Passport seen")
      await press(page, page.getByRole("button", { name: "Confirm approval" }))
      await expect(page.getByRole("heading", { name: "Outcome" })).toBeVisible()
      await press(page, page.getByRole("region", { name: "Person" }).getByRole("link").first())
      await expect(page.getByRole("region", { name: "Wallets" })).toContainText(left.wallet)
      await press(page, page.getByRole("button", { name: "Show claims" }))
      await expect(page.getByRole("list", { name: "Reported claims" })).toContainText("United States (US)")
    })

    await press(page, page.getByRole("button", { name: "Account of Olivia Owner" }))
    await expect(page.getByRole("menuitem", { name: "Your account" })).toBeFocused()
    await page.keyboard.press("End")
    await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeFocused()
    await page.keyboard.press("Enter")
    await expect(heading(page, "Sign in")).toBeVisible()
  })
})
