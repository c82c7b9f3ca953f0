import { randomBytes } from "node:crypto"
import type { Page } from "@playwright/test"
import { changeAnswer } from "./answers.ts"
import { decide, newWallet, origin } from "./api.ts"
import { addLimit, type Customer, chooseAction, expect, expectAccessible, heading, section, test } from "./dashboard.ts"

const fresh = () => randomBytes(3).toString("hex")

/** A token created by the API. */
async function makeToken({ api }: Customer, more: object = {}): Promise<string> {
  const id = `fund_${fresh()}`
  await api.call("POST", "/mint-configs", {
    ...{ id, name: `Fund ${id}`, symbol: "FND", decimals: 2, required_schema: "kyc_individual_v1" },
    ...more,
  })
  return id
}

const walletOf = async ({ api }: Customer) => (await api.verifiedWallet()).wallet

const operationsOf = async ({ api }: Customer, id: string) =>
  (await api.call("GET", `/token/operations?mint_config=${id}`)).data as {
    amount: string
    status: string
  }[]

/** Opens the form and enters a mint. */
async function fillInMint(page: Page, wallet: string, amount: string) {
  await page.getByRole("button", { name: "Mint", exact: true }).click()
  await page.getByLabel("Wallet", { exact: true }).fill(wallet)
  await page.getByLabel("Amount", { exact: true }).fill(amount)
}

const preflight = (page: Page) => page.getByRole("region", { name: "Rules check" })
const send = (page: Page, name: "Mint" | "Transfer") =>
  page.getByRole("dialog").getByRole("button", { name, exact: true })

/** The rules are folded and, on a phone, also the figures. */
async function showCards(page: Page) {
  if (page.viewportSize()!.width < 768) await page.getByRole("button", { name: "Show figures" }).click()
  await page.getByRole("button", { name: "Show rules" }).click()
}

test("a token is created, minted and transferred, and a refused mint is explained before it is sent", {
  tag: ["@journey", "@phone"],
}, async ({ page, customer }) => {
  const run = fresh()
  const [alice, bob] = await Promise.all([walletOf(customer), walletOf(customer)])
  const stranger = newWallet()

  await test.step("an error appears at its field, and holder mode removes the limits", async () => {
    await page.goto(section(customer, "tokens"))
    await expect(heading(page, "Tokens")).toBeVisible()
    await page.getByRole("link", { name: "Create token" }).click()
    await expect(heading(page, "Create token")).toBeVisible()
    await page.getByLabel("Name", { exact: true }).fill(`Harbour ${run}`)
    await expect(page.getByLabel("Configuration id")).toHaveValue(`harbour_${run}_v1`)
    await expect(page.getByLabel("Symbol")).toHaveValue(/^H/)
    await page.getByLabel("Symbol").fill("HARBOUR FUND")
    await expect(page.getByText("Must be 1 to 10 letters, digits and periods")).toBeVisible()
    // The id is valid at the submit, even if its last check failed, so the focus goes to the field that is wrong now.
    await page.getByLabel("Name", { exact: true }).fill("")
    await expect(page.getByLabel("Name", { exact: true })).toHaveAttribute("aria-invalid", "true")
    await page.getByLabel("Name", { exact: true }).fill(`Harbour ${run}`)
    await page.getByRole("button", { name: "Create token" }).click()
    await expect(page.getByLabel("Symbol")).toBeFocused()
    await page.getByLabel("Symbol").fill("HARB")
    await expect(page.getByText("Must be 1 to 10 letters, digits and periods")).toHaveCount(0)
    await page.getByLabel("Decimals").selectOption("2")
    await addLimit(page, "Maximum supply")
    await expect(page.getByLabel("Maximum supply")).toBeFocused()
    await page.getByLabel("Maximum supply").fill("1,000.125")
    await expect(page.getByText(/^Must be at most 184467440737095516.15, with at most 2 digits/)).toBeVisible()
    await page.getByLabel("Maximum supply").fill("1,000")
    await addLimit(page, "Maximum balance per wallet")
    await page.getByLabel("Maximum balance per wallet").fill("600")
    await page.getByRole("radio", { name: /^By holders/ }).check()
    await expect(page.getByLabel("Maximum balance per wallet")).toBeDisabled()
    await expect(page.getByText(/^Not available when holders move tokens/)).toHaveCount(1)
    await expectAccessible(page)
    await page.getByRole("radio", { name: /^Only through Vouch/ }).check()
    await expect(page.getByLabel("Maximum balance per wallet")).toHaveValue("600")
    const blocked = page.getByLabel("Not from these countries", { exact: true }).first()
    await blocked.fill("north korea, Atlantis")
    await blocked.press("Enter")
    await expect(page.getByText("Not a country: Atlantis")).toBeVisible()
    await expect(blocked).toHaveValue("Atlantis")
    await expect(page.getByRole("button", { name: /^Remove North Korea/ })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Create token" }).click()
    await expect(blocked).toBeFocused()
    await expect(blocked).toHaveAttribute("aria-invalid", "true")
    await expect(page.getByText("Add it to the list, or remove it.")).toBeVisible()
    await expectAccessible(page)
    await blocked.fill("")
    await expect(page.getByText("Not a country: Atlantis")).toHaveCount(0)
    const allowed = page.getByLabel("Only from these countries", { exact: true }).first()
    await page.getByRole("button", { name: "Add EU to only from these countries" }).click()
    await expect(page.getByRole("list", { name: "Only from these countries" }).getByRole("listitem")).toHaveCount(27)
    await allowed.fill("Switzerland (CH)")
    await expect(allowed).toHaveValue("")
    await expectAccessible(page)
    await expect(page.getByRole("button", { name: "Remove Switzerland" })).toBeVisible()
    await page.getByRole("button", { name: "Remove all from only from these countries" }).click()
    await expect(page.getByRole("button", { name: "Remove Switzerland" })).toHaveCount(0)
    await expectAccessible(page)
  })

  await test.step("its page lists the rules in words", async () => {
    await page.getByRole("button", { name: "Create token" }).click()
    await expect(page).toHaveURL(new RegExp(`/tokens/harbour_${run}_v1$`))
    await expect(page.getByRole("heading", { level: 1 })).toContainText(`Harbour ${run}`)
    await showCards(page)
    await expect(page.getByText("No investors from North Korea.")).toBeVisible()
    await expect(page.getByText("Maximum supply 1,000.")).toBeVisible()
    await expect(page.getByRole("button", { name: /copy mint address/ })).toBeVisible()
    await expect(page.getByText("No holders yet")).toBeVisible()
    await expectAccessible(page)
  })

  await test.step("a wallet that is not verified is refused in the form, with what to do", async () => {
    await fillInMint(page, stranger, "100")
    await expect(preflight(page)).toContainText("This would be refused")
    await expect(preflight(page)).toContainText("wallet_not_verified")
    await expect(preflight(page).getByText("Checked once the wallet is verified.")).toBeVisible()
    await expect(send(page, "Mint")).toBeDisabled()
    await expect(send(page, "Mint")).toBeInViewport({ ratio: 1 })
    await expect(preflight(page).getByRole("listitem").first()).toContainText("Refused:")
    const start = preflight(page).getByRole("link", { name: /^Start a session for/ })
    await expect(start).toHaveAttribute("href", new RegExp(`/sessions\\?.*wallet=${stranger}`))
    await expectAccessible(page)
  })

  await test.step("an invalid address is reported at its field", async () => {
    const wallet = page.getByLabel("Wallet", { exact: true })
    const complaint = page.getByText(/^Enter a wallet address/)
    for (const wrong of [alice.slice(0, 20), `0${alice.slice(1)}`, `${alice} ${bob}`]) {
      await wallet.fill(wrong)
      await page.getByLabel("Amount", { exact: true }).fill("1")
      await expect(complaint).toBeVisible()
      await expect(wallet).toHaveAttribute("aria-invalid", "true")
      await expect(send(page, "Mint")).toBeDisabled()
    }
  })

  await test.step("a mint that the rules allow is sent and followed until it is confirmed", async () => {
    await page.getByLabel("Wallet", { exact: true }).fill(alice)
    await page.getByLabel("Amount", { exact: true }).fill("600.01")
    await expect(preflight(page)).toContainText("may hold 600 at most")
    await expect(preflight(page).getByRole("listitem")).toHaveText(/^Refused:.*may hold 600 at most/)
    await preflight(page)
      .getByText(/^\d+ rules pass$/)
      .click()
    await expect(preflight(page).getByRole("listitem").nth(1)).toContainText("Passed:")
    await expect(send(page, "Mint")).toBeDisabled()
    await page.getByLabel("Amount", { exact: true }).fill("600")
    await expect(preflight(page)).toContainText("All rules passed.")
    await expect(page.getByLabel("Acquired on (UTC)")).toBeHidden()
    await page.getByText("Lot details (optional)").click()
    await page.getByLabel("Acquired on (UTC)").fill("2020-01-01")
    await page.getByLabel("Acquired on (UTC)").fill("")
    await expect(page.getByLabel("Acquired on (UTC)")).toBeFocused()
    await expect(send(page, "Mint")).toBeInViewport({ ratio: 1 })
    await expectAccessible(page)
    await send(page, "Mint").click()
    await expect(page.getByRole("dialog").getByRole("heading", { name: "Mint of 600 HARB" })).toBeFocused()
    await expect(page.getByRole("button", { name: "Mint more" })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Close" }).click()
    await expect(page.getByRole("meter", { name: "Supply" })).toHaveAttribute("aria-valuetext", "600 of 1,000")
    const row = page.getByRole("row").filter({ hasText: alice })
    await expect(row).toContainText("600")
    await expect(row.getByText("Verified").filter({ visible: true })).toBeVisible()
    await expect(page.getByRole("columnheader", { name: "Account" })).toHaveCount(0)
  })

  await test.step("a transfer has a page with its states and its transaction", async () => {
    await page.getByRole("button", { name: "Transfer", exact: true }).click()
    await page.getByLabel("From wallet").fill(alice)
    await page.getByLabel("To wallet").fill(bob)
    await page.getByRole("button", { name: "Whole balance" }).click()
    await expect(page.getByLabel("Amount", { exact: true })).toHaveValue("600")
    await expect(page.getByText("600 available")).toBeVisible()
    await expect(send(page, "Transfer")).toBeInViewport({ ratio: 1 })
    await page.getByLabel("Amount", { exact: true }).fill("100.5")
    await expect(preflight(page)).toContainText("Both wallets are verified")
    await send(page, "Transfer").click()
    await page.getByRole("link", { name: "Open the operation" }).click()
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Transfer of 100.50 HARB")
    await expect(page.getByRole("main").getByText("Confirmed", { exact: true }).first()).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Raw transaction" }).click()
    const drawer = page.getByRole("dialog", { name: "Transaction" })
    await expect(drawer.getByText("TransferChecked", { exact: true })).toBeVisible()
    await expect(drawer.getByText(/^vouch:1:op_/)).toBeVisible()
    await expectAccessible(page)
  })

  const operations = await operationsOf(customer, `harbour_${run}_v1`)
  expect(operations.map(({ amount, status }) => [amount, status])).toEqual([
    ["100.5", "confirmed"],
    ["600", "confirmed"],
  ])
})

/** A verified wallet of a named investor. */
async function personFrom({ api }: Customer, externalId: string, country: string): Promise<string> {
  const { sessionId, wallet } = await api.start({ externalId })
  await decide(sessionId, "approved", origin, country)
  await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
  return wallet
}

test("people are picked by name, and the rules check calls them by it", { tag: "@phone" }, async ({
  page,
  customer,
}) => {
  const run = fresh()
  const [emma, noor] = [`emma-larsson-${run}`, `noor-larsson-${run}`]
  const id = await makeToken(customer, { rules: { blocked_countries: ["KP"] } })
  const [refused, allowed] = await Promise.all([personFrom(customer, emma, "KP"), personFrom(customer, noor, "NL")])
  await page.goto(section(customer, `tokens/${id}`))
  await page.getByRole("button", { name: "Mint", exact: true }).click()
  const sheet = page.getByRole("dialog")
  const wallet = sheet.getByLabel("Wallet", { exact: true })
  const options = sheet.getByRole("listbox").getByRole("option")
  const option = (name: string) => options.filter({ hasText: name })

  await test.step("a part of the name lists each wallet with its status for this token", async () => {
    await expect(wallet).toBeFocused()
    await wallet.pressSequentially(`larsson-${run}`)
    await expect(option(emma)).toContainText("Country not allowed by this token")
    await expect(option(noor)).toContainText(/Verified until \d+ \w+ 20\d\d/)
    await expectAccessible(page)
  })

  await test.step("Escape closes the list alone, and the keys choose from it", async () => {
    await page.keyboard.press("Escape")
    await expect(options).toHaveCount(0)
    await expect(wallet).toHaveValue(`larsson-${run}`)
    await page.keyboard.press("Backspace")
    await page.keyboard.type(run.at(-1)!)
    await expect(options).toHaveCount(2)
    const names = await options.allTextContents()
    for (let n = 0; n < names.findIndex((text) => text.includes(emma)); n++) await page.keyboard.press("ArrowDown")
    await expect(option(emma)).toHaveAttribute("aria-selected", "true")
    await page.keyboard.press("Enter")
    await expect(wallet).toHaveValue(emma)
    await expect(sheet.getByRole("status").filter({ hasText: refused })).toBeVisible()
  })

  await test.step("Enter chooses no one from the list of an earlier text", async () => {
    await sheet.getByRole("button", { name: /^Change/ }).click()
    await wallet.fill(noor)
    await expect(option(noor)).toHaveAttribute("aria-selected", "true")
    const held = Promise.withResolvers<void>()
    await page.route(/investor\.pick/, async (route) => {
      await held.promise
      await route.fallback()
    })
    await wallet.fill(emma)
    await page.keyboard.press("Enter")
    await expect(wallet).toHaveValue(emma)
    await expect(wallet).toBeEditable()
    held.resolve()
    await expect(option(emma)).toHaveAttribute("aria-selected", "true")
    await page.keyboard.press("Enter")
    await expect(wallet).not.toBeEditable()
    await expect(sheet.getByLabel("Amount", { exact: true })).toBeFocused()
    await page.unroute(/investor\.pick/)
  })

  await test.step("the refusal names the person, their country on request, and what to do", async () => {
    await sheet.getByLabel("Amount", { exact: true }).fill("5")
    await expect(preflight(page)).toContainText(`${emma} (opens a new tab): not allowed by this token.`)
    await expect(preflight(page)).not.toContainText("Korea")
    await preflight(page).getByRole("button", { name: "Show the country" }).click()
    await expect(preflight(page)).toContainText(`${emma} (opens a new tab), North Korea: not allowed by this token.`)
    await expect(preflight(page).getByRole("link", { name: `Open ${emma}` })).toHaveAttribute("href", /investors\/inv_/)
    await expect(preflight(page).getByRole("link", { name: "Open the token's rules" })).toBeVisible()
    await expectAccessible(page)
  })

  await test.step("the person can be changed, and what is entered next to them stays", async () => {
    await sheet.getByRole("button", { name: /^Change/ }).click()
    await expect(wallet).toBeFocused()
    await wallet.pressSequentially(allowed.slice(0, 8))
    await option(noor).click()
    await expect(wallet).toHaveValue(noor)
    await expect(sheet.getByLabel("Amount", { exact: true })).toHaveValue("5")
    await expect(preflight(page)).toContainText("All rules passed.")
    await send(page, "Mint").click()
    await expect(sheet.getByRole("heading", { name: "Mint of 5 FND" })).toBeFocused()
  })
  expect((await operationsOf(customer, id)).map(({ amount }) => amount)).toEqual(["5"])
})

test("a text that names no one cannot be sent, and a pasted wallet shows whose it is", async ({ page, customer }) => {
  const name = `ada-${fresh()}`
  const [id, wallet] = [await makeToken(customer), await personFrom(customer, name, "US")]
  await page.goto(section(customer, `tokens/${id}`))
  await fillInMint(page, "no one is called this", "1")
  await expect(page.getByText(/^Enter a wallet address/)).toBeVisible()
  await expect(send(page, "Mint")).toBeDisabled()
  const field = page.getByLabel("Wallet", { exact: true })
  await field.focus()
  await field.press("End")
  await field.pressSequentially("!")
  await expect(page.getByText("No one matches. You can paste the address of any wallet.")).toBeVisible()
  await expectAccessible(page)
  await field.fill(wallet)
  await expect(page.getByRole("dialog").getByRole("status").filter({ hasText: name })).toContainText("Verified until")
  await expect(field).toHaveValue(wallet)
  await field.fill(newWallet())
  await expect(page.getByText("Not the wallet of a known investor.")).toBeVisible()
})

test("a refusal offers to start a session for that wallet with one click", async ({ page, customer }) => {
  const id = await makeToken(customer, { required_schema: "accredited_investor_v1" })
  const stranger = newWallet()
  await page.goto(section(customer, `tokens/${id}`))
  await fillInMint(page, stranger, "1")
  await preflight(page)
    .getByRole("link", { name: /^Start a session for/ })
    .click()
  const form = page.getByRole("dialog", { name: "Start a session" })
  await expect(form.getByLabel("Wallet")).toHaveValue(stranger)
  await expect(form.getByLabel("Schema")).toHaveValue("accredited_investor_v1")
})

test("a double click, a lost answer and a second tab mint once", async ({ page, context, customer, traffic }) => {
  const [id, wallet] = await Promise.all([makeToken(customer), walletOf(customer)])
  const address = section(customer, `tokens/${id}`)
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(address)
    await fillInMint(tab, wallet, "7.25")
    await expect(preflight(tab)).toContainText("All rules passed.")
  }
  traffic.allow(/token\.mint|ERR_FAILED/)
  await page.route("**/token.mint", async (route) => {
    await route.fetch()
    await route.abort("failed")
  })
  await send(page, "Mint").dblclick()
  await expect(
    page.getByRole("alert").filter({ hasText: "this may have been done. Send it again unchanged" }),
  ).toBeVisible()
  await page.unroute("**/token.mint")
  await send(page, "Mint").dblclick()
  await expect(page.getByRole("button", { name: "Mint more" })).toBeVisible()
  await send(other, "Mint").click()
  await expect(other.getByRole("button", { name: "Mint more" })).toBeVisible()
  expect(await operationsOf(customer, id)).toHaveLength(1)

  // Entering the same values again starts another operation.
  await page.getByRole("button", { name: "Mint more" }).click()
  await page.getByLabel("Wallet", { exact: true }).fill(wallet)
  await page.getByLabel("Amount", { exact: true }).fill("7.25")
  await expect(preflight(page)).toContainText("All rules passed.")
  await send(page, "Mint").click()
  await expect(page.getByRole("button", { name: "Mint more" })).toBeVisible()
  expect(await operationsOf(customer, id)).toHaveLength(2)
})

test("a transfer of a whole balance whose answer is lost is sent again", async ({ page, customer, traffic }) => {
  const [id, alice, bob] = await Promise.all([makeToken(customer), walletOf(customer), walletOf(customer)])
  await customer.api.call("POST", "/token/mint", { user_pubkey: alice, mint_config: id, amount: "5" })
  await page.goto(section(customer, `tokens/${id}`))
  await page.getByRole("button", { name: "Transfer", exact: true }).click()
  await page.getByLabel("From wallet").fill(alice)
  await page.getByLabel("To wallet").fill(bob)
  await page.getByLabel("Amount", { exact: true }).fill("5")
  await expect(preflight(page)).toContainText("All rules passed.")
  traffic.allow(/token\.transfer|ERR_FAILED/)
  await page.route("**/token.transfer", async (route) => {
    await route.fetch()
    await route.abort("failed")
  })
  const refused = page.waitForResponse(
    async (answer) =>
      answer.url().includes("token.formPreflight") && (await answer.text()).includes("insufficient_balance"),
  )
  await send(page, "Transfer").click()
  await expect(page.getByRole("alert").filter({ hasText: "Send it again unchanged" })).toBeVisible()
  await refused
  await expect(preflight(page)).toHaveCount(0)
  // Anything else is checked against what the wallet holds now.
  await page.getByLabel("Amount", { exact: true }).fill("4")
  await expect(preflight(page)).toContainText("This would be refused.")
  await expect(send(page, "Transfer")).toBeDisabled()
  await page.getByLabel("Amount", { exact: true }).fill("5")
  await page.unroute("**/token.transfer")
  await send(page, "Transfer").click()
  await expect(page.getByRole("button", { name: "Transfer more" })).toBeVisible()
  expect(await operationsOf(customer, id)).toHaveLength(2)
})

test("a mint entered again after a lost answer is shown as the earlier one, and can be minted again", async ({
  page,
  customer,
  traffic,
}) => {
  const [id, wallet] = await Promise.all([makeToken(customer), walletOf(customer)])
  const address = section(customer, `tokens/${id}`)
  await page.goto(address)
  await fillInMint(page, wallet, "7.25")
  await expect(preflight(page)).toContainText("All rules passed.")
  traffic.allow(/token\.mint|ERR_FAILED/)
  await page.route("**/token.mint", async (route) => {
    await route.fetch()
    await route.abort("failed")
  })
  await send(page, "Mint").click()
  await expect(page.getByRole("alert").filter({ hasText: "Send it again unchanged" })).toBeVisible()
  await page.unroute("**/token.mint")
  await page.goto(address)
  await fillInMint(page, wallet, "7.25")
  await send(page, "Mint").click()
  await expect(page.getByText(/^No answer arrived .* Nothing new was done\.$/)).toBeVisible()
  await expectAccessible(page)
  expect(await operationsOf(customer, id)).toHaveLength(1)
  await page.getByRole("button", { name: "Mint again" }).click()
  await expect(page.getByLabel("Amount", { exact: true })).toHaveValue("7.25")
  await expect(page.locator("input[type=hidden][name=user_pubkey]")).toHaveValue(wallet)
  await send(page, "Mint").click()
  await expect(page.getByRole("button", { name: "Mint more" })).toBeVisible()
  await expect(page.getByText("Nothing new was done")).toHaveCount(0)
  expect(await operationsOf(customer, id)).toHaveLength(2)
})

test("a paused token says so and refuses until it is unpaused", async ({ page, customer }) => {
  const [id, wallet] = await Promise.all([makeToken(customer), walletOf(customer)])
  await page.goto(section(customer, `tokens/${id}`))
  await chooseAction(page, "Pause")
  await expectAccessible(page)
  await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click()
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Paused")
  await fillInMint(page, wallet, "1")
  await expect(preflight(page)).toContainText("mint_paused")
  await expect(send(page, "Mint")).toBeDisabled()
  const refused = { user_pubkey: wallet, mint_config: id, amount: "1" }
  expect((await customer.api.send("POST", "/token/mint", refused)).json.error).toBe("mint_paused")
  await page.getByRole("button", { name: "Close" }).click()
  await chooseAction(page, "Unpause")
  await page.getByRole("alertdialog").getByRole("button", { name: "Unpause" }).click()
  await expect(page.getByRole("heading", { level: 1 })).not.toContainText("Paused")
})

test("limits by investor are set by country, and the token's page shows how many investors there are", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const id = await makeToken(customer)
  await page.goto(section(customer, `tokens/${id}`))
  await expect(page.getByRole("meter", { name: "Investors" })).toHaveCount(0)
  await page.getByRole("link", { name: "Change rules" }).click()
  await addLimit(page, "Maximum investors")
  await addLimit(page, "Maximum investors by country")
  await page.getByLabel("Maximum investors", { exact: true }).fill("99")
  const countries = page.getByLabel("Maximum investors by country", { exact: true }).first()
  const add = page.getByRole("button", { name: "Add to maximum investors by country" })
  await expect(add).toBeDisabled()
  for (const code of ["JP", "DE"]) {
    await countries.selectOption(code)
    await add.focus()
    await page.keyboard.press("Enter")
  }
  await page.getByRole("button", { name: "Remove Germany" }).click()
  await expect(page.getByLabel("Maximum from Germany")).toHaveCount(0)
  const japan = page.getByLabel("Maximum from Japan")
  await japan.fill("many")
  await expect(countries).toHaveAttribute("aria-invalid", "true")
  await japan.fill("49")
  await expect(countries).not.toHaveAttribute("aria-invalid", "true")
  await expectAccessible(page)
  await countries.selectOption("FR")
  await page.getByRole("button", { name: "Save changes" }).click()
  await expect(page.getByText("Add it to the list, or remove it.")).toBeVisible()
  await expect(countries).toBeFocused()
  await countries.selectOption("")
  await page.getByRole("button", { name: "Save changes" }).click()

  await expect(page).toHaveURL(new RegExp(`/tokens/${id}$`))
  await showCards(page)
  await expect(page.getByText("Maximum investors by country: Japan 49.")).toBeVisible()
  const wallet = await walletOf(customer)
  await customer.api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount: "5" })
  await expect(page.getByRole("meter", { name: "Investors" })).toHaveAttribute("aria-valuetext", "1 of 99")
  await expectAccessible(page)
})

test("rules are changed, and accounts follow a change of mode", { tag: "@phone" }, async ({ page, customer }) => {
  const [id, wallet] = await Promise.all([makeToken(customer), walletOf(customer)])
  await customer.api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount: "5" })
  await page.goto(section(customer, `tokens/${id}`))
  await page.getByRole("link", { name: "Change rules" }).click()
  await expect(page.getByLabel("Symbol")).toHaveCount(0)
  await page.getByRole("radio", { name: /^By holders/ }).check()
  await expect(page.getByText("Accounts of verified wallets are opened")).toBeVisible()
  await addLimit(page, "Maximum supply")
  await page.getByLabel("Maximum supply").fill("50")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Save changes" }).click()
  await expect(page).toHaveURL(new RegExp(`/tokens/${id}$`))
  await showCards(page)
  await expect(page.getByText("Maximum supply 50.")).toBeVisible()
  await expect(page.getByText("By holders.").filter({ visible: true })).toHaveCount(1)
  const row = page.getByRole("row").filter({ hasText: wallet })
  await expect(row.getByText("Open").filter({ visible: true })).toBeVisible()
  await expectAccessible(page)
})

test("holders show how often their accounts were reopened, and the limit", async ({ page, customer }) => {
  const [id, wallet] = await Promise.all([makeToken(customer), walletOf(customer)])
  await customer.api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount: "5" })
  await page.goto(section(customer, `tokens/${id}`))
  const row = page.getByRole("row").filter({ hasText: wallet })
  await expect(row).toBeVisible()
  await expect(page.getByText(/Reopened/)).toHaveCount(0)
  await changeAnswer(page, "token.holders", ({ data }) => {
    data[0].reopenings = { used: 3, limit: 3 }
  })
  await page.reload()
  await expect(row).toContainText("Reopened 3 of 3 times")
  await expect(page.getByText(/^Reopened: this month, the holder closed/)).toBeVisible()
  await expectAccessible(page)
})

test("operations are filtered by wallet and status, and the filters are in the address", async ({ page, customer }) => {
  const [id, alice, bob] = await Promise.all([makeToken(customer), walletOf(customer), walletOf(customer)])
  const mint = (user_pubkey: string, amount: string) =>
    customer.api.call("POST", "/token/mint", { user_pubkey, mint_config: id, amount })
  await mint(alice, "11")
  await mint(bob, "22")
  await page.goto(section(customer, `tokens/${id}?tab=operations`))
  const rows = page.getByRole("table", { name: "Operations" }).getByRole("row")
  await expect(rows).toHaveCount(3)
  await page.getByRole("searchbox", { name: "Search" }).fill(alice)
  await expect(rows).toHaveCount(2)
  await expect(rows.last()).toContainText("11")
  await expect(page).toHaveURL(new RegExp(`[?&]q=${alice}`))
  await page.getByLabel("Status").selectOption("failed")
  await expect(page.getByText("No matching operations")).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByText("No matching operations")).toBeVisible()
  await page.getByRole("button", { name: "Clear" }).click()
  await expect(rows).toHaveCount(3)
})

test("a viewer sees everything and has no controls to change it", async ({ as, customer }) => {
  const id = await makeToken(customer)
  const page = await as("viewer")
  await page.goto(section(customer, "tokens"))
  await expect(page.getByRole("link", { name: new RegExp(`Fund ${id}`) })).toBeVisible()
  await expect(page.getByRole("link", { name: "Create token" })).toHaveCount(0)
  await page.goto(section(customer, `tokens/${id}`))
  await expect(page.getByRole("heading", { level: 1 })).toContainText(`Fund ${id}`)
  for (const name of ["Mint", "Transfer", "More actions"]) {
    await expect(page.getByRole("button", { name, exact: true })).toHaveCount(0)
  }
  await expect(page.getByRole("link", { name: "Change rules" })).toHaveCount(0)
  for (const path of ["tokens/new-token", `tokens/${id}/rules`]) {
    await page.goto(section(customer, path))
    await expect(page.getByText("Ask an owner for the developer role.")).toBeVisible()
  }
  await page.goto(section(customer, "distributions/new"))
  await expect(page.getByText("Ask an owner for the compliance role.")).toBeVisible()
  const refused = await page.request.post("/api/trpc/mintConfig.pause", {
    data: { id },
    headers: { "x-vouch-workspace": customer.workspaces.test, origin },
  })
  expect([refused.status(), (await refused.json()).error.data.error]).toEqual([403, "insufficient_scope"])
})

test("an unknown token or operation says so", async ({ page, customer, traffic }) => {
  traffic.allow(/404/)
  await page.goto(section(customer, "tokens/none_v1"))
  await expect(
    page.getByRole("alert").filter({ hasText: "this workspace has no mint configuration none_v1" }),
  ).toBeVisible()
  await expectAccessible(page)
  await page.goto(section(customer, "tokens/none_v1/operations/op_1"))
  await expect(heading(page, "Operation not found")).toBeVisible()
})
