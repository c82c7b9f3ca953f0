import { chooseAction, expect, expectAccessible, section, showFilters, test } from "./dashboard.ts"
import { balances, held, justify, open, order, orderHash, row, rules } from "./servicing.ts"

test("the token's menu redeems tokens of a holder who is chosen there", { tag: ["@phone"] }, async ({
  page,
  customer,
}) => {
  const { id, wallet } = await held(customer, "30")
  const { wallet: empty } = await customer.api.verifiedWallet()
  await page.goto(section(customer, `tokens/${id}`))
  await chooseAction(page, "Redeem")
  const sheet = page.getByRole("dialog")
  const whose = sheet.getByLabel("Whose tokens")
  await whose.fill(empty)
  await expect(sheet.getByText("This wallet holds no FND. Choose a holder.")).toBeVisible()
  await expectAccessible(page)
  await whose.fill("")
  await whose.pressSequentially(wallet.slice(0, 10))
  await sheet.getByRole("option").filter({ hasText: wallet }).click()
  await expect(sheet.getByLabel("Amount")).toBeFocused()
  await sheet.getByRole("button", { name: "Whole balance" }).click()
  await expect(sheet.getByLabel("Amount")).toHaveValue("30")
  await expectAccessible(page)
  await sheet.getByRole("checkbox", { name: "The holder agreed" }).check()
  await justify(sheet, { reason: "redemption", reference: "Order 12", wallet })
  await sheet.getByRole("button", { name: "Redeem", exact: true }).click()
  await expect(sheet.getByRole("heading", { name: "Redemption of 30 FND" })).toBeFocused()
  await expect(whose).toBeHidden()
  await expect(sheet.getByText("Confirmed", { exact: true }).first()).toBeVisible()
  await expectAccessible(page)
})

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
      new RegExp(`${wallet}.* is not verified for Individual identity: its attestation was revoked`),
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
    await expect(sheet.getByRole("heading", { name: "Redemption of 40 FND" })).toBeFocused()
    await expect(sheet.getByText("Confirmed", { exact: true }).first()).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Close" }).click()
    await expect(row(page, wallet)).toContainText("60")
  })

  await test.step("a forced transfer from the investor's page shows both balances and hashes the document", async () => {
    await page.goto(section(customer, `investors/${investor}`))
    const sheet = await open(page, page.getByRole("region", { name: "Tokens held" }), "Force transfer")
    await sheet.getByLabel("To wallet").pressSequentially(heir.slice(0, 10))
    await sheet.getByRole("option").filter({ hasText: heir }).click()
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
    await expect(rows).toHaveText([/^Operation/, /^Forced transfer60/, /^Redemption40/, /^Mint100/])
    await showFilters(page)
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
  await expect(
    sheet.getByRole("alert").filter({ hasText: "this may have been done. Send it again unchanged" }),
  ).toBeVisible()
  await page.unroute("**/token.burn")
  // The balance may already be 6, which covers it again.
  await sheet.getByRole("button", { name: "Redeem", exact: true }).dblclick()
  await expect(sheet.getByRole("heading", { name: "Redemption of 4 FND" })).toBeVisible()
  const { data } = await customer.api.call("GET", `/token/operations?mint_config=${id}&kind=burn`)
  expect(data).toHaveLength(1)
})

test("a redemption of a whole balance whose answer is lost is sent again", async ({ page, customer, traffic }) => {
  const { id, wallet } = await held(customer, "10")
  await page.goto(section(customer, `tokens/${id}`))
  await chooseAction(page, "Redeem")
  const sheet = page.getByRole("dialog")
  await sheet.getByLabel("Whose tokens").fill(wallet)
  await sheet.getByLabel("Amount").fill("10")
  await sheet.getByRole("checkbox", { name: "The holder agreed" }).check()
  await justify(sheet, { reason: "buyback", reference: "Q3", wallet })
  await expect(rules(sheet)).toContainText("All rules passed.")
  traffic.allow(/token\.burn|ERR_FAILED/)
  await page.route("**/token.burn", async (route) => {
    await route.fetch()
    await route.abort("failed")
  })
  const holders = page.waitForResponse(
    async (answer) => answer.url().includes("token.holders") && !(await answer.text()).includes(wallet),
  )
  await sheet.getByRole("button", { name: "Redeem", exact: true }).click()
  const alert = sheet.getByRole("alert").filter({ hasText: "Send it again unchanged" })
  await expect(alert).toBeVisible()
  // The wallet holds nothing any more, which refuses everything but the repeat.
  await holders
  await expect(alert).toBeVisible()
  await expect(rules(sheet)).toHaveCount(0)
  await expect(sheet.getByText("This wallet holds no FND.")).toHaveCount(0)
  await expectAccessible(page)
  await page.unroute("**/token.burn")
  await sheet.getByRole("button", { name: "Redeem", exact: true }).click()
  await expect(sheet.getByRole("heading", { name: "Redemption of 10 FND" })).toBeVisible()
  await expect(sheet.getByText("Nothing new was done.")).toHaveCount(0)
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
  await expect(page.getByRole("menuitem", { name: "Mint" })).toBeFocused()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Enter")
  const sheet = page.getByRole("dialog", { name: "Force a transfer of FND" })
  await expect(sheet.getByLabel("To wallet")).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(sheet).toHaveCount(0)
  await expect(actions).toBeFocused()
})

test("everyone sees a wallet's lots, and compliance can also redeem, force a transfer, freeze and hold", async ({
  as,
  customer,
}) => {
  const { id, wallet, investor } = await held(customer, "10")
  const compliance = await as("compliance")
  await compliance.goto(section(customer, `tokens/${id}`))
  await row(compliance, wallet)
    .getByRole("button", { name: /^Actions for/ })
    .click()
  await expect(compliance.getByRole("menuitem")).toHaveText(["Lots", "Redeem", "Force transfer", "Freeze", "Hold"])
  const viewer = await as("viewer")
  for (const path of [`tokens/${id}`, `investors/${investor}`]) {
    await viewer.goto(section(customer, path))
    await viewer.getByRole("button", { name: /^Actions for FND/ }).click()
    await expect(viewer.getByRole("menuitem")).toHaveText(["Lots"])
    await viewer.getByRole("menuitem").click()
    const lots = viewer.getByRole("table", { name: "Lots of FND" })
    await expect(lots.getByRole("row").nth(1)).toContainText(/No exemption recorded\s*10$/)
    await expectAccessible(viewer)
    await expect(viewer.getByRole("button", { name: /^Freeze/ })).toHaveCount(0)
  }
})
