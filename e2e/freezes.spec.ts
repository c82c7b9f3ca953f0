import type { Locator, Page } from "@playwright/test"
import { type Customer, createMember, expect, expectAccessible, section, test } from "./dashboard.ts"
import { brokenWords } from "./layout.ts"
import { held, justify, open, row } from "./servicing.ts"

const freeze = ({ api }: Customer, user_pubkey: string, reference: string, where: { mint_config?: string } = {}) =>
  api.call("POST", "/token/freeze", { user_pubkey, reason_code: "regulator", reference, ...where })

async function explain(sheet: Locator, reason: string, reference: string) {
  await sheet.getByLabel("Reason").selectOption(reason)
  await sheet.getByLabel("Reference").fill(reference)
}

/** Reads a notice and closes it, because it covers a phone's rows. */
async function expectNotice(page: Page, text: string) {
  const notice = page.locator("[data-sonner-toast]").filter({ hasText: text })
  await expect(notice).toBeVisible()
  await notice.getByRole("button", { name: "Close toast" }).click()
  await expect(notice).toHaveCount(0)
}

test("a wallet is frozen for a token and then for every token, and each freeze is lifted", {
  tag: ["@phone"],
}, async ({ page, customer }) => {
  const { id, wallet, investor } = await held(customer, "100")
  const frozenFor = async () => {
    const { data } = await customer.api.call("GET", `/token/holders/${id}`)
    return data[0].wallet_freeze?.reason_code ?? null
  }

  await test.step("the sheet says what a freeze does, and needs a reason, a reference and the wallet", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    const sheet = await open(page, row(page, wallet), "Freeze")
    await expect(sheet.getByRole("heading", { name: "Freeze a wallet" })).toBeVisible()
    for (const fact of [wallet, `Fund ${id} (FND)`, "localnet"])
      await expect(sheet.getByText(fact).first()).toBeVisible()
    const only = sheet.getByRole("radio", { name: /^Only FND/ })
    await expect(only).toBeChecked()
    await expect(only).toBeFocused()
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Freeze" }).click()
    await expect(sheet.getByText("Required")).toHaveCount(2)
    await expect(sheet.getByText(`Type ${wallet.slice(-4)} to continue.`)).toBeVisible()
    await expectAccessible(page)
    await justify(sheet, { reason: "court_order", reference: "2026-CV-0417", wallet })
    await sheet.getByRole("button", { name: "Freeze" }).click()
    await expect(sheet).toHaveCount(0)
    await expectNotice(page, "Wallet frozen")
    await expect(row(page, wallet)).toContainText(/Wallet frozen since .*: Court order \(2026-CV-0417\)/)
    expect(await frozenFor()).toBe("court_order")
    await expectAccessible(page)
  })

  await test.step("the other sheets show the freeze", async () => {
    const sheet = await open(page, row(page, wallet), "Redeem")
    await expect(sheet).toContainText(/FrozenFor this token since .*: Court order \(2026-CV-0417\)/)
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Close" }).click()
  })

  await test.step("from the investor's page, the same wallet is frozen for every token", async () => {
    await page.goto(section(customer, `investors/${investor}`))
    const wallets = page.getByRole("region", { name: "Wallets" })
    const tokens = page.getByRole("region", { name: "Tokens held" })
    await expect(tokens).toContainText("(2026-CV-0417)")
    await expect(wallets).not.toContainText("frozen")
    await wallets.getByRole("button", { name: `Freeze ${wallet}` }).click()
    const sheet = page.getByRole("dialog", { name: "Freeze a wallet" })
    await expect(sheet).toContainText("TokenEvery token")
    await expect(sheet.getByLabel("Reason")).toBeFocused()
    await expectAccessible(page)
    await justify(sheet, { reason: "sanctions", reference: "Notice 8", wallet })
    await sheet.getByRole("button", { name: "Freeze for every token" }).click()
    await expect(wallets).toContainText(/Wallet frozen for every token since .*: Sanctions \(Notice 8\)/)
    await expect(tokens).toContainText(/Wallet frozen for every token since/)
    expect(await brokenWords(page)).toEqual([])
    await expect(wallets.getByRole("button", { name: `Unfreeze ${wallet}` })).toBeFocused()
    await expectAccessible(page)
  })

  await test.step("a member chooses which freeze to lift, and then lifts the other one", async () => {
    const tokens = page.getByRole("region", { name: "Tokens held" })
    await tokens.getByRole("button", { name: /^Actions for FND of/ }).click()
    await expect(page.getByRole("menuitem")).toHaveText([
      "Mint",
      "Lots",
      "Redeem",
      "Force transfer",
      "Unfreeze",
      "Hold",
    ])
    await page.getByRole("menuitem", { name: "Unfreeze" }).click()
    const sheet = page.getByRole("dialog", { name: "Unfreeze a wallet" })
    await expect(sheet.getByRole("radio", { name: /^Only FND/ })).toBeChecked()
    await sheet.getByRole("radio", { name: /^Every token/ }).check()
    await explain(sheet, "other", "Notice 8 withdrawn")
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Unfreeze" }).click()
    await expectNotice(page, "Freeze lifted. The wallet’s other freeze still binds.")
    await expect(tokens).not.toContainText("every token")
    expect(await frozenFor()).toBe("court_order")

    await page.goto(section(customer, `tokens/${id}`))
    const last = await open(page, row(page, wallet), "Unfreeze")
    await expect(last.getByRole("radio")).toHaveCount(0)
    await explain(last, "court_order", "Case closed")
    await expectAccessible(page)
    await last.getByRole("button", { name: "Unfreeze for FND" }).click()
    await expectNotice(page, "Wallet unfrozen")
    await expect(row(page, wallet)).not.toContainText("Wallet frozen")
    expect(await frozenFor()).toBeNull()
  })
})

test("a freeze for every token is lifted from a holder's row, which offers no further freeze", async ({
  page,
  customer,
}) => {
  const { id, wallet } = await held(customer, "10")
  await freeze(customer, wallet, "Order 5")
  await page.goto(section(customer, `tokens/${id}`))
  await row(page, wallet)
    .getByRole("button", { name: /^Actions for FND of/ })
    .press("Enter")
  await expect(page.getByRole("menuitem")).toHaveText(["Mint", "Lots", "Redeem", "Force transfer", "Unfreeze", "Hold"])
  await page.getByRole("menuitem", { name: "Unfreeze" }).press("Enter")
  const sheet = page.getByRole("dialog", { name: "Unfreeze a wallet" })
  await expect(sheet).toContainText(/FrozenFor every token since .*: Order of a regulator \(Order 5\)/)
  await expect(sheet.getByLabel("Reason")).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(sheet).toHaveCount(0)
  await expect(row(page, wallet).getByRole("button", { name: /^Actions for FND of/ })).toBeFocused()
  await open(page, row(page, wallet), "Unfreeze")
  await explain(sheet, "regulator", "Order 5 lifted")
  await sheet.getByLabel("Reference").press("Enter")
  await expect(row(page, wallet)).not.toContainText("Wallet frozen")
})

test("under a policy, an unfreeze waits, and the wallet stays frozen", async ({ page, customer, traffic }) => {
  // A request that waits.
  traffic.allow(/409/)
  const { id, wallet } = await held(customer, "10")
  await freeze(customer, wallet, "Order 6", { mint_config: id })
  await createMember(customer, "compliance")
  await customer.api.call("POST", "/approval-policies", { actions: ["unfreeze"], mint_config: id, approvals: 1 })
  await page.goto(section(customer, `tokens/${id}`))
  const sheet = await open(page, row(page, wallet), "Unfreeze")
  await explain(sheet, "regulator", "Order 6 lifted")
  await sheet.getByRole("button", { name: "Unfreeze for FND" }).click()
  await expect(sheet.getByRole("alert")).toContainText("This needs the approval of another member.")
  await expectAccessible(page)
  await expect(row(page, wallet)).toContainText("(Order 6)")
  await sheet.getByRole("link", { name: "Open the request" }).click()
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/^Unfreeze a wallet: .*, Fund /)
  await expect(page.getByRole("region", { name: "Request" })).toContainText("ReferenceOrder 6 lifted")
  await expectAccessible(page)
})
