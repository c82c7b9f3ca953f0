import type { Page } from "@playwright/test"
import { decide, origin } from "./api.ts"
import {
  expect,
  expectAccessible,
  heading,
  memberOfNewAccount,
  type Role,
  section,
  showFilters,
  test,
} from "./dashboard.ts"

const FUND = "us_real_estate_fund_v1"

/** The heading of an investor's page: the name, and the statuses of the verifications. */
const ofInvestor = (page: Page, name: string) => heading(page, new RegExp(`^${name}( |$)`))

test("an investor is found by any wallet, with all wallets, tokens and refusals on one page", {
  tag: ["@journey", "@phone"],
}, async ({ page, customer }) => {
  const { api } = customer
  const name = `person-${Date.now().toString(36)}`
  const first = await api.start({ externalId: name })
  const second = await api.start({ externalId: name })
  for (const { wallet, sessionId } of [first, second]) {
    await decide(sessionId, "approved")
    await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
  }
  await api.call("POST", "/token/mint", { user_pubkey: first.wallet, mint_config: FUND, amount: "1200" })
  await api.call("POST", "/token/mint", { user_pubkey: second.wallet, mint_config: FUND, amount: "300.5" })
  const third = await api.start({ externalId: name })
  const refused = { user_pubkey: third.wallet, mint_config: FUND, amount: "1" }
  expect((await api.send("POST", "/token/mint", refused)).status).toBe(403)

  await page.goto(section(customer, "investors"))
  await expect(heading(page, "Investors")).toBeVisible()
  await showFilters(page)
  await page.getByRole("searchbox", { name: "Search" }).fill(second.wallet.slice(-6))
  const rows = page.getByRole("table", { name: "Investors" }).getByRole("row")
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText("Verified")
  await expect(rows.nth(1)).toContainText("Pending")
  await expect(rows.nth(1)).toContainText("1,500.50 USREF")
  await expectAccessible(page)
  await rows.nth(1).getByRole("link", { name }).press("Enter")

  await expect(ofInvestor(page, name)).toBeVisible()
  await expect(heading(page, `${name} Pending Verified`).or(heading(page, `${name} Verified Pending`))).toBeVisible()
  await expect(page.getByText("Holds 1,500.50 USREF")).toBeVisible()
  const wallets = page.getByRole("region", { name: "Wallets" })
  for (const { wallet } of [first, second, third]) await expect(wallets).toContainText(wallet)
  await expect(page.getByRole("region", { name: "Tokens held" })).toContainText("1,500.50 USREF")
  const timeline = page.getByRole("region", { name: "Timeline" })
  await timeline.getByRole("button", { name: /^Show all/ }).click()
  await expect(timeline.getByText("Another wallet added")).toHaveCount(2)
  await expect(timeline.getByText("First seen")).toBeVisible()
  await expect(timeline.getByRole("link", { name: "Mint of 1,200 USREF" })).toBeVisible()
  await expect(page.getByRole("table", { name: "Verifications" }).getByRole("row", { name: /Verified/ })).toHaveCount(2)
  await expectAccessible(page)

  await page.getByRole("tab", { name: "Verifications" }).focus()
  await page.keyboard.press("ArrowRight")
  const operations = page.getByRole("table", { name: "Operations" }).getByRole("row")
  await expect(operations).toHaveCount(3)
  await expect(operations.nth(1)).toContainText(name)
  await expectAccessible(page)
  await page.keyboard.press("ArrowRight")
  await expect(page.getByRole("table", { name: "Refusals" })).toContainText("wallet_not_verified", {
    timeout: 10_000,
  })
  await expectAccessible(page)

  // A new verification appears without a reload.
  const fourth = await api.start({ externalId: name })
  await expect(wallets).toContainText(fourth.wallet)
})

test("claims of several wallets name their wallet and show contradictions", async ({ page, customer }) => {
  const externalId = `${"long-".repeat(39)}${Date.now()}`.slice(0, 200)
  const wallets: string[] = []
  for (const country of ["US", "CA"]) {
    const { sessionId, wallet } = await customer.api.start({ externalId })
    await decide(sessionId, "approved", origin, country)
    wallets.push(wallet)
  }
  await page.goto(section(customer, "investors"))
  // A long id takes two lines at most.
  const row = page.getByRole("row").filter({ hasText: externalId })
  expect((await row.boundingBox())!.height).toBeLessThan(70)
  await row.getByRole("link").click()
  const claims = page.getByRole("region", { name: "Claims" })
  await expect(claims.getByRole("status")).toContainText("contradict each other: country.")
  await expect(claims).not.toContainText("Canada")
  await claims.getByRole("button", { name: "Show claims" }).click()
  for (const [i, country] of ["United States (US)", "Canada (CA)"].entries()) {
    const item = claims.getByRole("listitem").filter({ hasText: wallets[i]! })
    await expect(item).toContainText(`${country} (differs)`)
    await expect(item).toContainText("Over 18Yes")
  }
  await expectAccessible(page)
})

test("claims are shown on request, and the audit log says who viewed them", async ({ page, customer }) => {
  const { wallet, id } = await customer.api.verifiedWallet()
  await page.goto(section(customer, `attestations/${id}`))
  await page.getByRole("link", { name: "View investor" }).click()
  const claims = page.getByRole("region", { name: "Claims" })
  await expect(claims.getByRole("button", { name: "Show claims" })).toBeVisible()
  await expect(claims).not.toContainText("United States")
  await claims.getByRole("button", { name: "Show claims" }).click()
  await expect(claims).toContainText("United States (US)")
  await expect(claims.getByRole("button")).toHaveCount(0)
  await expectAccessible(page)
  await expect(page.getByRole("region", { name: "Wallets" })).toContainText(wallet)

  await page.goto(section(customer, `audit?subject=${id}`))
  const entry = page.getByRole("row", { name: /Olivia Owner viewed the claims of / })
  await entry.getByRole("button", { name: "Details" }).click()
  await expect(entry).toContainText("country")
  await expect(entry).not.toContainText("United States")
})

test("notes are written, edited and deleted by keyboard, and survive a reload", { tag: "@phone" }, async ({
  page,
  customer,
}) => {
  const { wallet } = await customer.api.verifiedWallet()
  const { data } = await customer.api.call("GET", `/investors?wallet=${wallet}`)
  await page.goto(section(customer, `investors/${data[0].investor_id}`))
  const notes = page.getByRole("region", { name: "Notes" })
  await expect(notes.getByRole("list")).toHaveCount(0)
  const height = async () => (await notes.getByLabel("New note").boundingBox())!.height
  const lowest = await height()
  await notes.getByLabel("New note").click()
  expect(await height()).toBeGreaterThan(lowest)
  await notes.getByRole("button", { name: "Add note" }).click()
  await expect(notes.getByLabel("New note")).toHaveAccessibleDescription("Required")
  await expect(notes.getByLabel("New note")).toBeFocused()
  await expectAccessible(page)
  await notes.getByLabel("New note").fill("Called back.\nAsked for the bank statement.")
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  const note = notes.getByRole("listitem")
  await expect(note).toContainText("Asked for the bank statement.")
  await expect(note).toContainText("Olivia Owner")
  await expect(notes.getByLabel("New note")).toHaveValue("")
  await expectAccessible(page)

  await note.getByRole("button", { name: /^Edit/ }).press("Enter")
  await expect(note.getByLabel("Edit note")).toBeFocused()
  await note.getByLabel("Edit note").fill("Statement received.")
  await note.getByRole("button", { name: "Save" }).click()
  await expect(note).toContainText(/Statement received.*edited/s)
  await page.reload()
  await expect(note).toContainText("Statement received.")

  await note.getByRole("button", { name: /^Delete/ }).click()
  const dialog = page.getByRole("alertdialog", { name: "Delete this note?" })
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Delete" }).click()
  await expect(note).toHaveCount(0)
  await expect(notes.getByRole("button", { name: "Add note" })).toHaveCount(0)
})

test("members without the right see neither claims nor notes, and compliance sees both", async ({ as, customer }) => {
  const { wallet } = await customer.api.verifiedWallet()
  const { data } = await customer.api.call("GET", `/investors?wallet=${wallet}`)
  const address = section(customer, `investors/${data[0].investor_id}`)
  for (const [role, sees] of [
    ["viewer", false],
    ["developer", false],
    ["compliance", true],
  ] as const) {
    const page = await as(role)
    await page.goto(address)
    await expect(page.getByRole("region", { name: "Wallets" })).toContainText(wallet)
    await expect(page.getByRole("region", { name: "Claims" })).toHaveCount(sees ? 1 : 0)
    await expect(page.getByRole("region", { name: "Notes" })).toHaveCount(sees ? 1 : 0)
  }
})

test("claims, notes and reviews disappear at once from the screen of a demoted member", async ({
  browser,
  customer,
  page,
  traffic,
}) => {
  traffic.allow(/403 \(Forbidden\)/)
  const { wallet } = await customer.api.verifiedWallet()
  const { data } = await customer.api.call("GET", `/investors?wallet=${wallet}`)
  const officer = await memberOfNewAccount(browser, customer, "compliance")
  const claims = officer.page.getByRole("region", { name: "Claims" })
  await officer.page.goto(section(customer, `investors/${data[0].investor_id}`))
  await claims.getByRole("button", { name: "Show claims" }).click()
  await expect(claims).toContainText("United States (US)")
  const headers = { "x-vouch-workspace": customer.workspaces.test, origin }
  const members = await page.request.get("/api/trpc/member.list", { headers })
  const { result } = (await members.json()) as {
    result: { data: { members: { user_id: string; email: string }[] } }
  }
  const { user_id } = result.data.members.find(({ email }) => email === officer.email)!
  const become = async (role: Role) => {
    const changed = await page.request.post("/api/trpc/member.changeRole", {
      data: { user_id, role },
      headers,
    })
    expect(changed.status()).toBe(200)
  }
  await become("viewer")
  await expect(claims).toHaveCount(0)
  await expect(officer.page.getByRole("region", { name: "Notes" })).toHaveCount(0)
  await expect(officer.page.getByRole("link", { name: /^Reviews/ })).toHaveCount(0)
  await expect(officer.page.getByRole("region", { name: "Wallets" })).toContainText(wallet)
  await expectAccessible(officer.page)
  // A second view is a second entry in the audit log.
  await become("compliance")
  await expect(claims.getByRole("button", { name: "Show claims" })).toBeVisible()
  await officer.context.close()
})

test("sessions, attestations and holders link to the investor, and an unknown id says so", async ({
  page,
  customer,
  traffic,
}) => {
  traffic.allow(/status of 404/)
  const name = `linked-${Date.now().toString(36)}`
  const { api } = customer
  const { wallet, sessionId } = await api.start({ externalId: name })
  await page.goto(section(customer, "sessions"))
  await page.getByRole("button", { name: `Actions for the session of ${wallet}` }).click()
  await page.getByRole("menuitem", { name: "View investor" }).click()
  await expect(ofInvestor(page, name)).toBeVisible()
  await page.goto(section(customer, "attestations"))
  await page.getByRole("row", { name: wallet }).getByRole("link", { name }).click()
  await expect(heading(page, `${name}: Individual identity Awaiting investor`)).toBeVisible()
  await page.getByRole("region", { name: "About" }).getByRole("link", { name }).click()
  await expect(ofInvestor(page, name)).toBeVisible()

  await decide(sessionId, "approved")
  await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
  await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: FUND, amount: "5" })
  await page.goto(section(customer, `tokens/${FUND}?wallet=${wallet}`))
  await page.getByRole("row", { name: wallet }).getByRole("link", { name }).click()
  await expect(ofInvestor(page, name)).toBeVisible()

  await page.goto(section(customer, "investors/inv_11111111111111111111"))
  await expect(page.getByText("Investor not found")).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/${customer.workspaces.live}/investors`)
  await expect(page.getByText("No investors yet")).toBeVisible()
  await expectAccessible(page)
  await page.goto(section(customer, "investors?q=an-unknown-name"))
  await expect(page.getByText("No matching investors")).toBeVisible()
  await expectAccessible(page)
})

test("from a person's page, tokens are minted to their wallet and a verification is revoked", async ({
  page,
  customer,
}) => {
  const { api } = customer
  const name = `person-${Date.now().toString(36)}`
  const { wallet, sessionId } = await api.start({ externalId: name })
  await decide(sessionId, "approved")
  await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
  await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: FUND, amount: "100" })
  const { attestation_id: id } = (await api.status(wallet)) as { attestation_id: string }
  await page.goto(section(customer, `attestations/${id}`))
  await page.getByRole("link", { name }).first().click()
  await expect(ofInvestor(page, name)).toBeVisible()

  await page
    .getByRole("region", { name: "Tokens held" })
    .getByRole("button", { name: /^Actions for / })
    .click()
  await page.getByRole("menuitem", { name: "Mint" }).click()
  const sheet = page.getByRole("dialog", { name: /^Mint / })
  await expect(sheet.getByRole("combobox", { name: "Wallet" })).toHaveValue(name)
  await sheet.getByLabel("Amount").fill("20")
  await expect(sheet.getByText("All rules passed.")).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await expect(sheet).toHaveCount(0)
  expect(new URL(page.url()).search).toBe("")
  await page.getByRole("button", { name: "Mint", exact: true }).click()
  await expect(sheet.getByRole("combobox", { name: "Wallet" })).toHaveValue("")

  await page.goBack()
  await expect(ofInvestor(page, name)).toBeVisible()
  const wallets = page.getByRole("region", { name: "Wallets" })
  await wallets.getByRole("button", { name: "Revoke Individual identity" }).click()
  const dialog = page.getByRole("alertdialog", { name: `Revoke ${name}’s individual identity verification?` })
  await dialog.getByLabel("Internal reason").fill("They asked for it.")
  await dialog.getByRole("button", { name: "Revoke" }).click()
  await expect(wallets.getByText("Revoked")).toBeVisible()
  await expect(wallets.getByRole("button", { name: "Revoke Individual identity" })).toHaveCount(0)
  await expectAccessible(page)
})

test("a person who holds tokens without being verified is sent a session, or redeemed", async ({ page, customer }) => {
  const { api } = customer
  const name = `unverified-${Date.now().toString(36)}`
  const { wallet, id } = await api.verifiedWallet({ externalId: name })
  await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: FUND, amount: "18.5" })
  const { data } = await api.call("GET", `/investors?wallet=${wallet}`)
  const address = section(customer, `investors/${data[0].investor_id}`)
  await page.goto(address)
  await expect(ofInvestor(page, name)).toBeVisible()
  const notice = page.getByRole("region", { name: "Holds tokens without being verified" })
  await expect(notice).toHaveCount(0)
  await api.revoke(id, "Left")
  await expect(notice).toContainText(/18\.50 USREF.*Revoked on \d+ \w+ \d{4}/)
  await expectAccessible(page)

  await notice.getByRole("button", { name: /^Redeem…/ }).click()
  const sheet = page.getByRole("dialog", { name: /^Redeem/ })
  await expect(sheet).toContainText(wallet)
  await page.keyboard.press("Escape")
  await expect(sheet).toHaveCount(0)
  await notice.getByRole("link", { name: `Start session for ${wallet}` }).click()
  const form = page.getByRole("dialog", { name: "Start a session" })
  await expect(form.locator("input[type=hidden]")).toHaveValue(wallet)
  await expect(form.getByLabel("External id (optional)")).toHaveValue(name)
  await form.getByRole("button", { name: "Start session" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
  await page.goto(address)
  await expect(notice).toContainText("Verification not finished")
  await expect(notice.getByRole("link")).toHaveCount(0)
})

test("tokens are minted to a person who has none, from the menu of their page", async ({ page, customer }) => {
  const { wallet } = await customer.api.verifiedWallet()
  const { data } = await customer.api.call("GET", `/investors?wallet=${wallet}`)
  await page.goto(section(customer, `investors/${data[0].investor_id}`))
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: "Mint…" }).click()
  const dialog = page.getByRole("dialog", { name: "Mint to this investor" })
  await dialog.getByLabel("Token").selectOption(FUND)
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Continue" }).click()
  const chosen = page.getByRole("dialog", { name: /^Mint / }).getByRole("combobox", { name: "Wallet" })
  await expect(chosen).toHaveValue(`${wallet.slice(0, 8)}…${wallet.slice(-8)}`)
})

test("an open dialog does not revoke a verification that has begun since", async ({ page, customer }) => {
  const { api } = customer
  const name = `person-${Date.now().toString(36)}`
  const { wallet } = await api.start({ externalId: name })
  const { attestation_id: first } = await api.status(wallet)
  await page.goto(section(customer, `attestations/${first}`))
  await page.getByRole("link", { name }).first().click()
  const wallets = page.getByRole("region", { name: "Wallets" })
  await wallets.getByRole("button", { name: "Revoke Individual identity" }).click()
  const dialog = page.getByRole("alertdialog")
  await dialog.getByLabel("Internal reason").fill("They asked for it.")
  // The page reads again once both have happened.
  let release = () => {}
  const happened = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route("**/investor.view?*", async (route) => {
    await happened
    await route.continue()
  })
  await api.revoke(first, "Another member was faster.")
  await api.start({ externalId: name }, wallet)
  const { attestation_id: second } = await api.status(wallet)
  release()
  await expect(wallets.locator(`a[href$="${second}"]`)).toHaveCount(1)
  await dialog.getByRole("button", { name: "Revoke" }).click()
  await expect(dialog.getByText("The verification has changed since you opened this.")).toBeVisible()
  await expect(dialog.getByLabel("Internal reason")).toHaveValue("They asked for it.")
  expect((await api.status(wallet)).status).toBe("pending")
})
