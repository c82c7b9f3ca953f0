import { randomBytes } from "node:crypto"
import type { Page } from "@playwright/test"
import { decide } from "./api.ts"
import { approve, open, requireTwo, test } from "./approving.ts"
import { type Customer, expect, expectAccessible, heading, section } from "./dashboard.ts"
import { brokenWords } from "./layout.ts"
import { held, order, orderHash } from "./servicing.ts"

/** An investor with a verified wallet that holds 100 of a new token, and others that are verified, too. */
async function person(customer: Customer, others = 1) {
  const { api } = customer
  const externalId = `loser-${randomBytes(4).toString("hex")}`
  const { id } = await held(customer, "1")
  const wallets: string[] = []
  for (let n = 0; n <= others; n++) {
    const { wallet, sessionId } = await api.start({ externalId })
    await decide(sessionId, "approved")
    await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
    wallets.push(wallet)
  }
  const [lost, ...fresh] = wallets as [string, ...string[]]
  await api.call("POST", "/token/mint", { user_pubkey: lost, mint_config: id, amount: "100" })
  const { data } = await api.call("GET", `/investors?wallet=${lost}`)
  return { id, externalId, lost, fresh: fresh[0]!, other: fresh[1]!, investor: data[0].investor_id as string }
}

/** Reports a wallet as lost on the investor's page, which opens the page of the recovery. */
async function report(page: Page, customer: Customer, { lost, investor }: { lost: string; investor: string }) {
  await page.goto(section(customer, `investors/${investor}`))
  await page.getByRole("button", { name: `Report ${lost} as lost` }).click()
  const sheet = page.getByRole("dialog", { name: "Report a wallet as lost" })
  await sheet.getByLabel("Reason").selectOption("lost_wallet")
  await sheet.getByLabel("Reference").fill("Case 2026-118")
  await sheet.getByLabel(/^Type/).fill(lost.slice(-4))
  await sheet.getByRole("button", { name: "Report as lost" }).click()
  await expect(heading(page, /^Recovery of loser-.*’s wallet/)).toBeVisible()
}

const next = (page: Page) => page.getByRole("region", { name: "Next step" })
const tokensOf = (page: Page) => page.getByRole("region", { name: "Tokens of the lost wallet" })
const progress = (page: Page) => page.getByRole("region", { name: "Progress" })
const balance = async ({ api }: Customer, wallet: string, id: string) =>
  (await api.call("GET", `/token/balance/${wallet}?mint_config=${id}`)).amount

test("a lost wallet is stopped at once, and its tokens move once another member approves", {
  tag: ["@phone"],
}, async ({ page, officer, firm: customer }) => {
  await requireTwo(customer, "recovery")
  const { id, externalId, lost, fresh, investor } = await person(customer)

  await test.step("the sheet needs a reason, a reference and the wallet", async () => {
    await page.goto(section(customer, `investors/${investor}`))
    await page.getByRole("button", { name: `Report ${lost} as lost` }).press("Enter")
    const sheet = page.getByRole("dialog", { name: "Report a wallet as lost" })
    await expect(sheet.getByLabel("Reason")).toBeFocused()
    await sheet.getByRole("button", { name: "Report as lost" }).click()
    await expect(sheet.getByText("Required")).toHaveCount(2)
    await expect(sheet.getByText(`Type ${lost.slice(-4)} to continue.`)).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press("Escape")
    await expect(sheet).toHaveCount(0)
  })

  await test.step("reporting it stops the wallet and shows what it holds", async () => {
    await report(page, customer, { lost, investor })
    const mint = { user_pubkey: lost, mint_config: id, amount: "1" }
    expect((await customer.api.send("POST", "/token/mint", mint)).json.error).toBe("wallet_barred")
    await expect(next(page)).toContainText("The lost wallet is stopped: nothing enters or leaves it")
    await expect(tokensOf(page)).toContainText(`${id}100`)
    await expect(next(page).getByRole("radio")).toHaveCount(1)
    await expect(next(page).getByRole("radio")).toBeChecked()
    await expect(next(page)).toContainText(fresh)
    await expect(next(page)).toContainText("A policy requires 1 approval by an owner or compliance officer.")
    expect(await brokenWords(page)).toEqual([])
    await expectAccessible(page)
  })

  await test.step("the member attaches a document and asks for approval", async () => {
    await next(page).getByLabel("Document (optional)").setInputFiles(order)
    await expect(next(page)).toContainText(orderHash.slice(0, 8))
    await next(page).getByRole("button", { name: "Request approval" }).click()
    await expect(next(page)).toContainText("Another member must approve this recovery.")
    await expect(progress(page)).toContainText("Waits for another member.")
    await expectAccessible(page)
    await open(page).click()
    await expect(heading(page, /^Recover a lost wallet: /)).toBeVisible()
    await expect(page.getByText("You made this request, directly or with a key that you know.")).toBeVisible()
  })

  await test.step("the officer sees both wallets and the tokens, and approves", async () => {
    await officer.goto(page.url())
    const request = officer.getByRole("region", { name: "Request" })
    await expect(request).toContainText("The lost wallet is stopped already.")
    await expect(request).toContainText(`${id}100`)
    await expect(request).toContainText("ReferenceCase 2026-118")
    await expectAccessible(officer)
    await approve(officer)
    await request.getByRole("link", { name: "Open the recovery" }).click()
    await expect(next(officer)).toContainText("Everything is in the new wallet.")
    await expect(tokensOf(officer)).toContainText("Confirmed")
    await expect(officer.getByRole("button", { name: "Cancel recovery" })).toHaveCount(0)
    await expectAccessible(officer)
    expect([await balance(customer, lost, id), await balance(customer, fresh, id)]).toEqual(["0", "100"])
  })

  await test.step("its operation leads back to it, and the investor's page shows the lost wallet", async () => {
    await tokensOf(officer).getByRole("link", { name: "Open the operation" }).click()
    await expect(heading(officer, /^Recovery of 100 FND/)).toBeVisible()
    await officer.getByRole("link", { name: "Open the recovery" }).click()
    await expect(heading(officer, `Recovery of ${externalId}’s wallet Completed`)).toBeVisible()
    const breadcrumbs = officer.getByRole("navigation", { name: "Breadcrumbs" })
    await expect(breadcrumbs.getByRole("link")).toHaveText(["Investors", externalId])
    await page.goto(section(customer, `investors/${investor}?tab=recoveries`))
    const wallets = page.getByRole("region", { name: "Wallets" })
    await expect(wallets).toContainText(/Lost\s*since .*: Lost wallet \(Case 2026-118\)\s*Open the recovery/)
    await expect(page.getByRole("button", { name: `Report ${lost} as lost` })).toHaveCount(0)
    await expect(page.getByRole("table", { name: "Recoveries" })).toContainText("Completed")
    expect(await brokenWords(page)).toEqual([])
    await expectAccessible(page)
  })
})

test("a rejected recovery moves nothing, and a member lifts the bar", async ({ page, officer, firm: customer }) => {
  await requireTwo(customer, "recovery")
  const { id, lost, investor } = await person(customer)
  await report(page, customer, { lost, investor })
  await next(page).getByRole("button", { name: "Request approval" }).click()
  await expect(open(page)).toBeVisible()
  await officer.goto(section(customer, "approvals"))
  await officer.getByRole("row", { name: /Recover a lost wallet/ }).click()
  await officer.getByRole("button", { name: "Reject", exact: true }).click()
  await officer.getByRole("alertdialog").getByLabel("Reason").fill("Not their signature")
  await officer.getByRole("alertdialog").getByRole("button", { name: "Reject" }).click()
  await expect(next(page)).toContainText("Not their signature")
  await expect(next(page)).toContainText("the lost wallet is still stopped")
  await expectAccessible(page)

  await page.getByRole("button", { name: "Cancel recovery" }).click()
  const question = page.getByRole("alertdialog")
  await question.getByRole("button", { name: "Cancel recovery" }).click()
  await expect(question.getByText("Type CANCEL to continue.")).toBeVisible()
  await expectAccessible(page)
  await question.getByRole("textbox").fill("CANCEL")
  await question.getByRole("button", { name: "Cancel recovery" }).click()
  await expect(next(page)).toContainText("the wallet is no longer reported as lost")
  await expect(page.getByRole("button", { name: "Cancel recovery" })).toHaveCount(0)
  await expectAccessible(page)
  await customer.api.call("POST", "/token/mint", { user_pubkey: lost, mint_config: id, amount: "1" })
})

test("the page says what blocks a token, and the tokens move once nothing does", async ({ page, firm: customer }) => {
  const { api } = customer
  const { id, lost, fresh, other, investor } = await person(customer, 2)
  await api.call("POST", "/token/freeze", { user_pubkey: other, reason_code: "regulator", reference: "Order 9" })
  await api.call("POST", `/mint-config/${id}/pause`)
  await report(page, customer, { lost, investor })

  const wallets = next(page).getByRole("radio")
  await expect(wallets).toHaveCount(2)
  await expect(next(page)).toContainText(`${other} is frozen. Unfreeze it, or use another wallet.`)
  await expect(next(page).getByRole("radio", { disabled: true })).toHaveCount(1)
  await expect(tokensOf(page)).toContainText("Blocked. The token is paused")
  await expectAccessible(page)

  await next(page).getByRole("button", { name: "Move everything" }).click()
  await expect(next(page)).toContainText(`Type ${fresh.slice(-4)} to continue.`)
  await next(page).getByLabel(/^Type/).fill(fresh.slice(-4))
  await next(page).getByRole("button", { name: "Move everything" }).click()
  await expect(next(page)).toContainText("1 position cannot move yet.")
  await expect(tokensOf(page)).toContainText("Blocked. The token is paused")
  await expectAccessible(page)

  await api.call("POST", `/mint-config/${id}/unpause`)
  await expect(next(page)).toContainText("Everything is in the new wallet.")
  expect(await balance(customer, fresh, id)).toBe("100")
})

test("a verification of a new wallet starts for the same investor, and the wallet then appears", async ({
  page,
  firm: customer,
}) => {
  const { externalId, lost, investor } = await person(customer, 0)
  await report(page, customer, { lost, investor })
  await expect(next(page).getByRole("radio")).toHaveCount(0)
  await expect(next(page)).toContainText("Verify a new wallet of this investor for Individual identity.")
  await next(page).getByRole("button", { name: "Start a session for a new wallet" }).click()
  const dialog = page.getByRole("dialog", { name: "Start a session" })
  await expect(dialog.getByLabel("External id (optional)")).toHaveValue(externalId)
  await dialog.getByLabel("Wallet").fill("VouchTestApproved11111111111111111111111118")
  await dialog.getByRole("button", { name: "Start session" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
  await expect(next(page).getByRole("radio")).toBeChecked()
  await expect(next(page)).toContainText("VouchTestApproved11111111111111111111111118")
})
