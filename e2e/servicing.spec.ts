import { createHash, randomBytes } from "node:crypto"
import type { Locator, Page } from "@playwright/test"
import { type Customer, createMember, expect, expectAccessible, section, test } from "./dashboard.ts"

const fresh = () => randomBytes(3).toString("hex")

const order = { name: "court-order.pdf", mimeType: "application/pdf", buffer: Buffer.from("The court orders …") }
const orderHash = createHash("sha256").update(order.buffer).digest("base64url")

type Held = { id: string; wallet: string; attestationId: string; investor: string }

/** A token that a new, verified wallet of a named investor holds. */
async function held({ api }: Customer, amount: string, more: object = {}): Promise<Held> {
  const id = `fund_${fresh()}`
  const config = { id, name: `Fund ${id}`, symbol: "FND", decimals: 2, required_schema: "kyc_individual_v1", ...more }
  await api.call("POST", "/mint-configs", config)
  const { wallet, id: attestationId } = await api.verifiedWallet()
  await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount })
  const { data } = await api.call("GET", `/investors?wallet=${wallet}`)
  return { id, wallet, attestationId, investor: data[0].investor_id }
}

const row = (page: Page, wallet: string) => page.getByRole("row").filter({ hasText: wallet })

async function open(page: Page, within: Locator, action: "Redeem" | "Force transfer" | "Hold"): Promise<Locator> {
  await within.getByRole("button", { name: /^Actions for FND of/ }).click()
  await page.getByRole("menuitem", { name: action }).click()
  return page.getByRole("dialog")
}

const rules = (sheet: Locator) => sheet.getByRole("region", { name: "Rules check" })

type Grounds = { reason: string; reference: string; wallet: string }

async function justify(sheet: Locator, { reason, reference, wallet }: Grounds) {
  await sheet.getByLabel("Reason").selectOption(reason)
  await sheet.getByLabel("Reference").fill(reference)
  await sheet.getByLabel(/^Type/).fill(wallet.slice(-4))
}

const balances = (sheet: Locator) => sheet.getByRole("table", { name: "Balances in FND" }).getByRole("row")

test("a revoked wallet is redeemed and then emptied by a forced transfer, with the reason and the document", {
  tag: ["@journey", "@phone"],
}, async ({ page, customer }) => {
  const { id, wallet, attestationId, investor } = await held(customer, "100")
  const { wallet: heir } = await customer.api.verifiedWallet()
  await customer.api.revoke(attestationId, "Left the country")

  await test.step("redeeming shows what it changes and which rules it overrides", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    const sheet = await open(page, row(page, wallet), "Redeem")
    await expect(sheet.getByRole("heading", { name: "Redeem FND" })).toBeVisible()
    for (const fact of [wallet, `Fund ${id} (FND)`, "localnet"])
      await expect(sheet.getByText(fact).first()).toBeVisible()
    await expect(sheet.getByLabel("Amount")).toBeFocused()
    await sheet.getByRole("button", { name: "Whole balance" }).click()
    await expect(sheet.getByLabel("Amount")).toHaveValue("100")
    await sheet.getByLabel("Amount").fill("100.01")
    await expect(sheet.getByText("More than the wallet’s balance.")).toBeVisible()
    await expect(rules(sheet)).toContainText("insufficient_balance")
    await expect(sheet.getByRole("button", { name: "Redeem", exact: true })).toBeDisabled()
    await sheet.getByLabel("Amount").fill("40")
    await expect(balances(sheet).nth(1)).toHaveText(/10060$/)
    await expect(rules(sheet)).toContainText("Allowed. It overrides one rule.")
    await expect(rules(sheet).getByRole("listitem").filter({ hasText: "Overridden" })).toContainText(
      `${wallet} is not verified for kyc_individual_v1`,
    )
    await expectAccessible(page)
  })

  await test.step("it needs a reason, a reference, the wallet's last characters, and consent or a document", async () => {
    const sheet = page.getByRole("dialog")
    await justify(sheet, { reason: "redemption", reference: "Order 4711", wallet: "none" })
    await sheet.getByRole("button", { name: "Redeem", exact: true }).click()
    await expect(sheet.getByText("Required")).toHaveCount(1)
    await expect(sheet.getByText(`Type ${wallet.slice(-4)} to continue.`)).toBeVisible()
    await expectAccessible(page)
    await sheet.getByRole("checkbox", { name: "The holder agreed" }).check()
    await justify(sheet, { reason: "redemption", reference: "Order 4711", wallet })
    await sheet.getByRole("button", { name: "Redeem", exact: true }).click()
    await expect(sheet.getByRole("heading", { name: "Burn of 40 FND" })).toBeFocused()
    await expect(sheet.getByText("Confirmed", { exact: true }).first()).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Close" }).click()
    await expect(row(page, wallet)).toContainText("60")
  })

  await test.step("a forced transfer from the investor's page shows both balances and hashes the document", async () => {
    await page.goto(section(customer, `investors/${investor}`))
    const sheet = await open(page, page.getByRole("region", { name: "Tokens held" }), "Force transfer")
    await sheet.getByLabel("To wallet").fill(heir)
    await sheet.getByLabel("Amount").fill("60")
    await expect(balances(sheet).nth(1)).toHaveText(/600$/)
    await expect(balances(sheet).nth(2)).toHaveText(/060$/)
    await expect(rules(sheet)).toContainText("Allowed. It overrides one rule.")
    await sheet.getByLabel("Document").setInputFiles(order)
    await expect(sheet.getByText(`SHA-256 of ${order.name}`)).toBeVisible()
    await expect(sheet.getByText(orderHash)).toBeVisible()
    await justify(sheet, { reason: "court_order", reference: "2026-CV-0417", wallet })
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Force transfer", exact: true }).click()
    // The wallet is empty, so its row is gone, and the sheet stays.
    await expect(page.getByText("No tokens held.")).toBeAttached()
    await expect(sheet.getByRole("heading", { name: "Forced transfer of 60 FND" })).toBeFocused()
    await sheet.getByRole("link", { name: "Open the operation" }).click()
  })

  await test.step("its page shows the grounds and recognizes the document", async () => {
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Forced transfer of 60 FND")
    const why = page.getByRole("region", { name: "Why" })
    for (const fact of ["Court order", "2026-CV-0417", orderHash]) await expect(why).toContainText(fact)
    await why.getByLabel("Check a file").setInputFiles({ ...order, buffer: Buffer.from("The court denies …") })
    await expect(why.getByText("This is a different file, or it was changed.")).toBeVisible()
    await expectAccessible(page)
    await why.getByLabel("Check a file").setInputFiles(order)
    await expect(why.getByText("This is the recorded document.")).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Raw transaction" }).click()
    await expect(page.getByRole("dialog").getByText(/^vouch:1:op_\w+:forced$/)).toBeVisible()
  })

  await test.step("lists name and filter the kinds", async () => {
    await page.goto(section(customer, `tokens/${id}?tab=operations`))
    const rows = page.getByRole("table", { name: "Operations" }).getByRole("row")
    await expect(rows).toHaveText([/^Operation/, /^Forced transfer60/, /^Burn40/, /^Mint100/])
    await page.getByLabel("Operation", { exact: true }).selectOption({ label: "Forced transfer" })
    await expect(rows).toHaveCount(2)
    await expectAccessible(page)
  })
})

test("a double click and a lost answer burn once", async ({ page, customer, traffic }) => {
  const { id, wallet } = await held(customer, "10")
  await page.goto(section(customer, `tokens/${id}`))
  const sheet = await open(page, row(page, wallet), "Redeem")
  await sheet.getByLabel("Amount").fill("4")
  await sheet.getByRole("checkbox", { name: "The holder agreed" }).check()
  await justify(sheet, { reason: "buyback", reference: "Q3", wallet })
  await expect(rules(sheet)).toContainText("All rules passed.")
  traffic.allow(/token\.burn|ERR_FAILED/)
  await page.route("**/token.burn", async (route) => {
    await route.fetch()
    await route.abort("failed")
  })
  await sheet.getByRole("button", { name: "Redeem", exact: true }).dblclick()
  await expect(sheet.getByRole("alert").filter({ hasText: "The server is unreachable" })).toBeVisible()
  await page.unroute("**/token.burn")
  // The balance may already be 6, which covers it again.
  await sheet.getByRole("button", { name: "Redeem", exact: true }).dblclick()
  await expect(sheet.getByRole("heading", { name: "Burn of 4 FND" })).toBeVisible()
  const { data } = await customer.api.call("GET", `/token/operations?mint_config=${id}&kind=burn`)
  expect(data).toHaveLength(1)
})

test("by holders, a balance on chain that does not cover the amount is reported before it is sent", async ({
  page,
  customer,
}) => {
  const { id, wallet } = await held(customer, "10", { transfer_mode: "holder" })
  await page.goto(section(customer, `tokens/${id}`))
  const sheet = await open(page, row(page, wallet), "Redeem")
  await sheet.getByLabel("Amount").fill("10.5")
  await expect(sheet.getByText("More than the wallet’s balance.")).toBeVisible()
  await expect(sheet.getByRole("button", { name: "Redeem", exact: true })).toBeDisabled()
  await expectAccessible(page)
})

test("by keyboard: the menu opens, the sheet closes, and the focus returns", async ({ page, customer }) => {
  const { id, wallet } = await held(customer, "10")
  await page.goto(section(customer, `tokens/${id}`))
  const actions = row(page, wallet).getByRole("button", { name: /^Actions for FND of/ })
  await actions.press("Enter")
  await expect(page.getByRole("menuitem", { name: "Redeem" })).toBeFocused()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Enter")
  const sheet = page.getByRole("dialog", { name: "Force a transfer of FND" })
  await expect(sheet.getByLabel("To wallet")).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(sheet).toHaveCount(0)
  await expect(actions).toBeFocused()
})

test("compliance can redeem, force a transfer and hold, and a viewer can do none of it", async ({ as, customer }) => {
  const { id, wallet, investor } = await held(customer, "10")
  const compliance = await as("compliance")
  await compliance.goto(section(customer, `tokens/${id}`))
  await row(compliance, wallet)
    .getByRole("button", { name: /^Actions for/ })
    .click()
  await expect(compliance.getByRole("menuitem")).toHaveText(["Redeem", "Force transfer", "Hold"])
  const viewer = await as("viewer")
  for (const path of [`tokens/${id}`, `investors/${investor}`]) {
    await viewer.goto(section(customer, path))
    await expect(viewer.getByText(wallet).first()).toBeAttached()
    await expect(viewer.getByRole("button", { name: /^Actions for FND/ })).toHaveCount(0)
  }
})

const hold = ({ api }: Customer, { id, wallet }: Held, amount: string, reference: string) =>
  api.call("POST", "/token/holds", {
    ...{ user_pubkey: wallet, mint_config: id, amount },
    ...{ reason_code: "court_order", reference },
  })

test("tokens are held, and the hold binds until it is taken from, released or executed", {
  tag: ["@phone"],
}, async ({ page, customer }) => {
  const fund = await held(customer, "100")
  const { id, wallet, investor } = fund
  const { wallet: heir } = await customer.api.verifiedWallet()

  await test.step("the sheet shows what is available before and after", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    const sheet = await open(page, row(page, wallet), "Hold")
    await expect(sheet.getByRole("heading", { name: "Hold FND" })).toBeVisible()
    await expect(sheet.getByLabel("Amount")).toBeFocused()
    await sheet.getByLabel("Amount").fill("100.01")
    await expect(sheet.getByText("More than is available.")).toBeVisible()
    await expect(sheet.getByRole("button", { name: "Hold", exact: true })).toBeDisabled()
    await sheet.getByLabel("Amount").fill("40")
    await expect(balances(sheet)).toHaveText([/^Balance of/, /100100$/, "Available10060", "Held040"])
    await justify(sheet, { reason: "court_order", reference: "2026-CV-0417", wallet: "none" })
    await sheet.getByLabel("Ends (optional)").fill("2020-01-01T00:00")
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Hold", exact: true }).click()
    await expect(sheet.getByText(`Type ${wallet.slice(-4)} to continue.`)).toBeVisible()
    await justify(sheet, { reason: "court_order", reference: "2026-CV-0417", wallet })
    await sheet.getByRole("button", { name: "Hold", exact: true }).click()
    await expect(sheet.getByText("Choose a time in the future.")).toBeVisible()
    await sheet.getByLabel("Ends (optional)").fill("2126-01-01T00:00")
    await sheet.getByRole("button", { name: "Hold", exact: true }).click()
    await expect(sheet.getByRole("heading", { name: "40 FND are held" })).toBeFocused()
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Close" }).click()
    await expect(row(page, wallet)).toContainText("40 held60 available")
    await expectAccessible(page)
  })

  await test.step("redeeming more than is available takes from the hold only if it is chosen", async () => {
    const sheet = await open(page, row(page, wallet), "Redeem")
    await sheet.getByLabel("Amount").fill("70")
    await expect(sheet.getByText("More than is available. To take held tokens, choose their holds.")).toBeVisible()
    await expect(rules(sheet)).toContainText("amount_held")
    await expect(sheet.getByRole("button", { name: "Redeem", exact: true })).toBeDisabled()
    await sheet.getByRole("checkbox", { name: /^40 FND/ }).check()
    await expect(balances(sheet)).toHaveText([/^Balance of/, /10030$/, "Available6030", "Held400"])
    await sheet.getByLabel("Amount").fill("10")
    await expect(balances(sheet)).toHaveText([/^Balance of/, /10090$/, "Available6060", "Held4030"])
    await sheet.getByRole("checkbox", { name: "The holder agreed" }).check()
    await justify(sheet, { reason: "redemption", reference: "Order 4711", wallet })
    await expect(sheet.getByRole("button", { name: "Redeem", exact: true })).toBeEnabled()
    await expect(rules(sheet)).toContainText("All rules passed.")
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Redeem", exact: true }).click()
    await expect(sheet.getByText("Confirmed", { exact: true }).first()).toBeVisible()
    await sheet.getByRole("button", { name: "Close" }).click()
    await expect(row(page, wallet)).toContainText("30 held60 available")
  })

  await test.step("holds are listed with their reasons, and one is released", async () => {
    await hold(customer, fund, "20", "Pledge 7")
    await row(page, wallet).getByRole("link", { name: /held$/ }).click()
    const rows = page.getByRole("table", { name: "Holds" }).getByRole("row")
    await expect(rows).toHaveCount(3)
    for (const fact of ["30", "of 40", "Active", "Court order", "2026-CV-0417"])
      await expect(rows.nth(2)).toContainText(fact)
    await expectAccessible(page)
    await rows.nth(1).getByRole("button", { name: "Actions for the hold of 20 FND, Pledge 7" }).click()
    await page.getByRole("menuitem", { name: "Release" }).click()
    const question = page.getByRole("alertdialog", { name: "Release 20 FND?" })
    await expectAccessible(page)
    await question.getByRole("button", { name: "Release" }).click()
    await expect(rows.nth(1)).toContainText("Released")
    await expect(rows.nth(1).getByRole("button", { name: /^Actions/ })).toHaveCount(0)
    await page.getByLabel("State").selectOption({ label: "Active" })
    await expect(rows).toHaveCount(2)
  })

  await test.step("the investor's page says why, and the hold is executed from there", async () => {
    await page.goto(section(customer, `investors/${investor}`))
    const tokens = page.getByRole("region", { name: "Tokens held" })
    await expect(tokens).toContainText("30 held60 available")
    await expect(tokens.getByRole("list", { name: "Holds of FND" })).toContainText(/Court order \(2026-CV-0417\) until/)
    await expectAccessible(page)
    await tokens.getByRole("button", { name: /^Actions for the hold of 30 FND/ }).click()
    await page.getByRole("menuitem", { name: "Execute" }).click()
    const sheet = page.getByRole("dialog", { name: "Execute a hold of FND" })
    await expect(sheet.getByLabel("To wallet")).toBeFocused()
    await sheet.getByLabel("To wallet").fill(heir)
    await expect(balances(sheet)).toHaveText([/^Balance of/, /9060$/, "Available6060", "Held300", /030$/])
    await sheet.getByLabel("Document").setInputFiles(order)
    await expect(sheet.getByText(orderHash)).toBeVisible()
    await sheet.getByLabel(/^Type/).fill(wallet.slice(-4))
    await expect(sheet.getByRole("button", { name: "Execute", exact: true })).toBeEnabled()
    await expect(rules(sheet)).toContainText("All rules passed.")
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Execute", exact: true }).click()
    await expect(sheet.getByRole("heading", { name: "Forced transfer of 30 FND" })).toBeFocused()
    await expect(sheet.getByText("Confirmed", { exact: true }).first()).toBeVisible()
    await sheet.getByRole("button", { name: "Close" }).click()
    await expect(tokens).not.toContainText("available")
  })
})

test("by holders, a hold and its release are operations, and the hold has an account", async ({ page, customer }) => {
  const { id, wallet } = await held(customer, "10", { transfer_mode: "holder" })
  await page.goto(section(customer, `tokens/${id}`))
  const sheet = await open(page, row(page, wallet), "Hold")
  await sheet.getByLabel("Amount").fill("4")
  await justify(sheet, { reason: "tax", reference: "T-1", wallet })
  await sheet.getByRole("button", { name: "Hold", exact: true }).click()
  await expect(sheet.getByRole("heading", { name: "Hold of 4 FND" })).toBeFocused()
  await expect(sheet.getByText("Confirmed", { exact: true }).first()).toBeVisible()
  await sheet.getByRole("button", { name: "Close" }).click()
  await expect(row(page, wallet)).toContainText("4 held6 available")
  await page.getByRole("tab", { name: "Holds" }).click()
  await expect(row(page, wallet)).toContainText("Active")
  await expect(row(page, wallet).getByRole("button", { name: /, copy account$/ })).toBeVisible()
  await expectAccessible(page)
  await row(page, wallet)
    .getByRole("button", { name: /^Actions for the hold/ })
    .click()
  await page.getByRole("menuitem", { name: "Release" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Release" }).click()
  await expect(row(page, wallet)).toContainText("Released")
})

test("under a policy, a release waits, and requests show which holds they are about", async ({ page, customer }) => {
  const fund = await held(customer, "10")
  const { id, wallet } = fund
  const { hold_id } = await hold(customer, fund, "4", "Pledge 9")
  await createMember(customer, "compliance")
  await customer.api.call("POST", "/approval-policies", {
    actions: ["hold_release", "burn"],
    mint_config: id,
    approvals: 1,
  })
  await page.goto(section(customer, `tokens/${id}?tab=holds`))
  await row(page, wallet)
    .getByRole("button", { name: /^Actions for the hold/ })
    .click()
  await page.getByRole("menuitem", { name: "Release" }).click()
  const question = page.getByRole("alertdialog")
  await question.getByRole("button", { name: "Release" }).click()
  await expect(question.getByRole("alert")).toContainText("This needs the approval of another member.")
  await expectAccessible(page)
  await question.getByRole("link", { name: "Open the request" }).click()
  await expect(page.getByRole("heading", { level: 1 })).toContainText(`Release of a hold: 4 of ${id}`)
  const request = page.getByRole("region", { name: "Request" })
  await expect(request).toContainText(`Hold${hold_id}`)
  await expectAccessible(page)

  const burn = { user_pubkey: wallet, mint_config: id, amount: "1", reason_code: "redemption", reference: "r" }
  const { json } = await customer.api.send("POST", "/token/burn", { ...burn, holder_consent: true, holds: [hold_id] })
  await page.goto(section(customer, `approvals/${json.approval_id}`))
  await expect(request).toContainText(`Holds to take from first${hold_id}`)
  await expectAccessible(page)
})

test("a viewer sees holds and can change none", async ({ as, customer }) => {
  const fund = await held(customer, "10")
  await hold(customer, fund, "4", "Pledge 8")
  const viewer = await as("viewer")
  await viewer.goto(section(customer, `investors/${fund.investor}`))
  await expect(viewer.getByRole("list", { name: "Holds of FND" })).toContainText("Pledge 8")
  await expect(viewer.getByRole("button", { name: /^Actions/ })).toHaveCount(0)
  await viewer.goto(section(customer, `tokens/${fund.id}?tab=holds`))
  await expect(row(viewer, fund.wallet)).toContainText("Pledge 8")
  await expect(viewer.getByRole("button", { name: /^Actions/ })).toHaveCount(0)
})
