import { readFile } from "node:fs/promises"
import type { Request, Route } from "@playwright/test"
import { changeAnswer } from "./answers.ts"
import { decide, newWallet } from "./api.ts"
import { expect, expectAccessible, heading, section, sortBy, test } from "./dashboard.ts"
import { submitForm } from "./support.ts"

test("a session started in the page, approved in a second tab, is verified in the first without a reload", {
  tag: ["@journey", "@phone"],
}, async ({ page, context, customer, traffic }) => {
  traffic.allow(/status of 422/)
  await page.goto(section(customer, "sessions"))
  await expect(heading(page, "Sessions")).toBeVisible()
  await page.evaluate(() => {
    Object.assign(window, { isTheSamePage: true })
  })
  const wallet = newWallet()
  await page.getByRole("button", { name: "Start session" }).first().click()
  await page.getByLabel("Wallet").fill("not a wallet")
  await page.getByRole("dialog").getByRole("button", { name: "Start session" }).click()
  await expect(page.getByLabel("Wallet")).toHaveAccessibleDescription(/Must be the base58 address of a wallet/)
  await expect(page.getByLabel("Wallet")).toBeFocused()
  await expectAccessible(page)
  await page.getByLabel("Wallet").fill(wallet)
  await page.getByRole("dialog").getByLabel("Schema").selectOption("kyc_individual_v1")
  await page.getByLabel("External id (optional)").fill("investor-of-the-page")
  await page.getByRole("dialog").getByRole("button", { name: "Start session" }).click()

  const dialog = page.getByRole("dialog", { name: "Send this link to the investor" })
  await expect(dialog.getByRole("img", { name: "QR code for the session link" })).toBeVisible()
  await expectAccessible(page)
  const opening = context.waitForEvent("page")
  await dialog.getByRole("link", { name: "Open" }).click()
  const second = await opening
  await dialog.getByRole("button", { name: "Done" }).click()

  const row = page.getByRole("row", { name: wallet })
  await expect(row).toContainText("Awaiting investor")
  await row.getByRole("link").first().click()
  await expect(
    heading(page, /^investor-of-the-page: Individual identity (Awaiting investor|Being checked)$/),
  ).toBeVisible()
  await submitForm(second)
  await expect(heading(page, /: Individual identity Verified$/)).toBeVisible()
  await expect(page.getByText("Credential issued on chain")).toBeVisible()
  await expect(page.getByText("by Olivia Owner")).toBeVisible()
  expect(await page.evaluate(() => "isTheSamePage" in window)).toBe(true)
  await second.close()
})

test("a session is started for a known person by name", async ({ page, customer }) => {
  const name = `grace-${newWallet().slice(0, 6)}`
  const { wallet, sessionId } = await customer.api.start({ externalId: name })
  await decide(sessionId, "approved")
  await page.goto(section(customer, "sessions"))
  await page.getByRole("button", { name: "Start session" }).first().click()
  const dialog = page.getByRole("dialog", { name: "Start a session" })
  await dialog.getByLabel("Wallet").pressSequentially(name)
  const option = dialog.getByRole("option").filter({ hasText: wallet })
  await expect(option).toContainText("Verified until")
  await dialog.getByLabel("Wallet").fill("")
  await dialog.getByLabel("Schema").selectOption("accredited_investor_v1")
  await dialog.getByLabel("Wallet").pressSequentially(name)
  await expect(option).toContainText("Never verified")
  await page.keyboard.press("Enter")
  await expect(dialog.getByLabel("Wallet")).toHaveValue(name)
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Start session" }).click()
  await expect(page.getByRole("dialog", { name: "Send this link to the investor" })).toContainText(wallet)
})

test("a new attestation and its outcome appear on the overview without a reload", async ({ page, customer }) => {
  await customer.api.verifiedWallet()
  await page.goto(section(customer, "overview"))
  const latest = page.getByRole("region", { name: "Latest attestations" })
  await expect(latest.getByRole("row").nth(1)).toBeVisible()
  const { wallet, sessionId } = await customer.api.start()
  const row = latest.getByRole("row", { name: wallet })
  await expect(row).toContainText("Pending")
  await decide(sessionId, "approved")
  await expect(row).toContainText("Verified")
  await expect(page.getByRole("meter", { name: "Attestations this month" })).toBeVisible()
  await expect(page.getByText("Started to verified")).toBeVisible()
  await expect(page.getByRole("table", { name: "Attestations per day by status" })).toBeAttached()
  await expect(page.getByText(/SOL$/).last()).toBeVisible()
  await expectAccessible(page)
})

test("Verify reads the chain and recomputes the fingerprint in the browser", async ({ page, customer }) => {
  const { id } = await customer.api.verifiedWallet()
  await page.goto(section(customer, `attestations/${id}`))
  await page.getByRole("button", { name: "Verify" }).click()
  await expect(page.getByText("Verified: all checks match.")).toBeFocused()
  await expect(page.getByRole("list", { name: "Checks" }).getByRole("listitem")).toHaveCount(7)
  await expectAccessible(page)

  // The page detects a server that returns a false record, because the computed commitment differs.
  await changeAnswer(page, "attestation.verifyOnChain", ({ record }) => {
    record.expires_at = "2030-01-01T00:00:00Z"
  })
  await page.getByRole("button", { name: "Verify" }).click()
  await expect(page.getByText("2 checks failed.")).toBeFocused()
  await expect(page.getByText("Failed: The fingerprint matches the record (computed in your browser)")).toBeVisible()
  await expectAccessible(page)
})

test("the raw transaction of a local network is shown with its instructions", async ({ page, customer }) => {
  const { id } = await customer.api.verifiedWallet()
  await page.goto(section(customer, `attestations/${id}`))
  await page.getByRole("button", { name: "Raw transaction" }).click()
  const drawer = page.getByRole("dialog", { name: "Transaction" })
  await expect(drawer.getByText("MintTo", { exact: true })).toBeVisible()
  await expect(drawer.getByText(new RegExp(`^vouch:1:${id}:`))).toBeVisible()
  await expectAccessible(page)
})

test("revoking asks for a reason and names the person, and shows the progress until the credential is destroyed", {
  tag: ["@journey", "@phone"],
}, async ({ page, customer }) => {
  const { id } = await customer.api.verifiedWallet()
  await page.goto(section(customer, `attestations/${id}`))
  await page.getByRole("button", { name: "Revoke" }).click()
  const dialog = page.getByRole("alertdialog")
  await expect(dialog.getByRole("heading")).toHaveText(/^Revoke .+’s individual identity verification\?$/)
  await expect(dialog.getByLabel("Reason shown to the investor")).toHaveValue("withdrawn")
  await dialog.getByRole("button", { name: "Revoke" }).click()
  await expect(dialog.getByText("Required")).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel("Internal reason").fill("The wallet was lost.")
  await dialog.getByRole("button", { name: "Revoke" }).click()
  await expect(heading(page, /: Individual identity Revoked$/)).toBeVisible()
  await expect(page.getByText("Credential destroyed on chain")).toBeVisible()
  await expect(page.getByRole("button", { name: "Revoke" })).toHaveCount(0)
  await page.getByRole("button", { name: "Verify" }).click()
  await expect(page.getByText("Passed: The credential is destroyed")).toBeVisible()
  await expectAccessible(page)
})

test("the search and the filters are in the address, and the CSV contains the matching rows", async ({
  page,
  customer,
}) => {
  const name = `csv-${newWallet().slice(0, 6)}`
  const rejected = await customer.api.start({ externalId: `${name}-1` })
  await decide(rejected.sessionId, "rejected")
  const pending = await customer.api.start({ externalId: `${name}-2` })
  await page.goto(section(customer, "attestations"))
  const rows = page.getByRole("table", { name: "Attestations" }).getByRole("row")
  await page.getByRole("searchbox", { name: "Search" }).fill(name)
  await expect(rows).toHaveCount(3)
  await page.getByLabel("Status").selectOption("rejected")
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText(rejected.wallet)
  await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ q: name, status: "rejected" })
  await page.reload()
  await expect(rows).toHaveCount(2)
  await expectAccessible(page)

  const downloading = page.waitForEvent("download")
  await page.getByRole("link", { name: "Export CSV" }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^attestations-.*\.csv$/)
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n")
  expect(lines[0]).toContain("attestation_id,status,schema,user_pubkey,external_id")
  expect(lines.slice(1).map((line) => line.split(",").slice(1, 5))).toEqual([
    ["rejected", "kyc_individual_v1", rejected.wallet, `${name}-1`],
  ])

  await page.getByRole("searchbox", { name: "Search" }).fill(pending.wallet)
  await expect(page.getByText("No matching attestations")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Clear" }).click()
  await expect(page.getByRole("searchbox", { name: "Search" })).toHaveValue("")
  await expect(rows.nth(1)).toBeVisible()
})

test("each status shows its count, and the list can start with the oldest", async ({ page, customer }) => {
  const name = `sort-${newWallet().slice(0, 6)}`
  const first = await customer.api.start({ externalId: `${name}-1` })
  const second = await customer.api.start({ externalId: `${name}-2` })
  const rejected = await customer.api.start({ externalId: `${name}-3` })
  await decide(rejected.sessionId, "rejected")
  await page.goto(section(customer, `attestations?q=${name}`))
  const status = page.getByLabel("Status")
  await expect(status.getByRole("option")).toHaveText([
    ...["All (3)", "Pending (2)", "Verified (0)", "Rejected (1)", "Revoked (0)", "Expired (0)"],
  ])
  const third = await customer.api.start({ externalId: `${name}-4` })
  await expect(status.getByRole("option", { name: "Pending (3)" })).toBeAttached()
  await status.selectOption("pending")
  const rows = page.getByRole("table", { name: "Attestations" }).getByRole("row")
  const order = (...wallets: { wallet: string }[]) =>
    Promise.all(wallets.map(({ wallet }, n) => expect(rows.nth(n + 1)).toContainText(wallet)))
  await order(third, second, first)
  await sortBy(page, /Started/, "Oldest first")
  await expect(page.getByRole("columnheader", { name: "Started" })).toHaveAttribute("aria-sort", "ascending")
  await order(first, second, third)
  await expectAccessible(page)
  // The counts cover all statuses, no matter which is shown.
  await expect(status.getByRole("option", { name: "Rejected (1)" })).toBeAttached()
})

test("a viewer sees everything and cannot change anything", async ({ as, customer }) => {
  const { id } = await customer.api.verifiedWallet()
  const page = await as("viewer")
  await page.goto(section(customer, `attestations/${id}`))
  await expect(heading(page, /: Individual identity Verified$/)).toBeVisible()
  await expect(page.getByRole("button", { name: "Revoke" })).toHaveCount(0)
  await page.goto(section(customer, "sessions"))
  await expect(heading(page, "Sessions")).toBeVisible()
  await expect(page.getByRole("button", { name: "Start session" })).toHaveCount(0)
})

for (const [what, refuse] of [
  ["no server answers", (route: Route) => route.abort()],
  ["too many are open", (route: Route) => route.fulfill({ status: 429, json: { error: "rate_limited" } })],
] as const) {
  test(`without live updates, because ${what}, the page says so, polls, and gets updates again later`, async ({
    page,
    traffic,
    customer,
  }) => {
    traffic.allow(/activity\.changes|ERR_FAILED|status of 429/)
    const stream = "**/api/trpc/activity.changes**"
    await page.clock.install()
    await page.route(stream, refuse)
    await page.goto(section(customer, "attestations"))
    await expect(page.getByText("Live updates are interrupted.")).toBeVisible()
    await expectAccessible(page)
    const first = await customer.api.start()
    await page.clock.fastForward(20_000)
    await expect(page.getByRole("row", { name: first.wallet })).toBeVisible()
    await page.unroute(stream)
    await page.clock.fastForward(30_000)
    await expect(page.getByText("Live updates are interrupted.")).toHaveCount(0)
    const second = await customer.api.start()
    await expect(page.getByRole("row", { name: second.wallet })).toBeVisible()
  })
}

test("a hidden tab has no stream, and catches up when it is shown again", async ({ page, customer }) => {
  const streams = { open: 0 }
  const isStream = (request: Request) => request.url().includes("activity.changes")
  page.on("request", (request) => isStream(request) && streams.open++)
  const ended = (request: Request) => isStream(request) && streams.open--
  page.on("requestfailed", ended)
  page.on("requestfinished", ended)
  const show = (isHidden: boolean) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden })
      document.dispatchEvent(new Event("visibilitychange"))
    }, isHidden)

  await page.goto(section(customer, "attestations"))
  await expect.poll(() => streams.open).toBe(1)
  await show(true)
  await expect.poll(() => streams.open).toBe(0)
  const { wallet } = await customer.api.start()
  await show(false)
  await expect(page.getByRole("row", { name: wallet })).toBeVisible()
  expect(streams.open).toBe(1)
})

test("a new workspace says what to do next", async ({ page, customer, traffic }) => {
  traffic.allow(/status of 404/)
  await page.goto(`/${customer.workspaces.live}/overview`)
  const steps = page.getByRole("region", { name: "First steps" })
  await expect(steps).toContainText("of 6 done")
  // On a local server, the sandbox is enough.
  await expect(steps.getByRole("listitem").filter({ hasText: "Choose a KYC provider" })).toContainText("(done)")
  await expectAccessible(page)
  await page.getByRole("link", { name: "Start a session" }).click()
  await expect(page.getByText("No open sessions")).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/${customer.workspaces.live}/overview`)
  await steps.getByRole("button", { name: "Hide" }).click()
  await expect(steps).toHaveCount(0)
  await page.reload()
  await expect(page.getByText("Attestations this month")).toBeVisible()
  await expect(steps).toHaveCount(0)
  await page.goto(`/${customer.workspaces.live}/attestations`)
  await expect(page.getByText("No attestations yet")).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/${customer.workspaces.live}/attestations/att_11111111111111111111`)
  await expect(page.getByText("Attestation not found")).toBeVisible()
  await expectAccessible(page)
})
