import type { Page } from "@playwright/test"
import { decide, origin, report } from "./api.ts"
import { test as ofFirm } from "./approving.ts"
import { type Customer, createMember, reviewOf, section, showFilters, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"

/** A session that the sandbox left in review, with the address of its review. */
async function leftInReview(customer: Customer, options: { externalId?: string; reason?: string } = {}) {
  const { externalId, reason } = options
  const session = await customer.api.start({ ...(externalId && { externalId }) })
  if (reason === undefined) await decide(session.sessionId, "in_review")
  else await report(session.sessionId, { decision: "in_review", reason })
  return { ...session, path: section(customer, `reviews/${await reviewOf(customer, session.wallet)}`) }
}

const main = (page: Page) => page.getByRole("main")
const reasonField = (page: Page) => page.getByLabel("Internal reason")
const choose = (page: Page, name: string) =>
  main(page).getByRole("group", { name: "Decision", exact: true }).getByRole("button", { name, exact: true }).click()
const confirm = (page: Page, name: string) => page.getByRole("button", { name }).click()
/** Decided cases stay open, as members can choose. */
const stays = (page: Page) => page.addInitScript(() => localStorage.setItem("vouch.reviews-stay", "1"))
const outcome = (page: Page) => page.getByRole("region", { name: "Outcome" })

test("a compliance officer finds a waiting review, takes it, adds a note, views the claims and approves", {
  tag: ["@journey", "@phone"],
}, async ({ as, customer }) => {
  const { wallet, path } = await leftInReview(customer, { reason: "PEP screening: 1 possible match" })
  const page = await as("compliance")
  await stays(page)
  await page.goto(section(customer, "reviews"))
  await expect(heading(page, "Reviews")).toBeVisible()
  const row = page.getByRole("row").filter({ has: page.locator(`a[href^="${path}"]`) })
  await expect(row).toContainText("PEP screening: 1 possible match")
  await expect(row).toContainText("High")
  await expectAccessible(page)
  await showFilters(page)
  await page.getByLabel("Kind").selectOption("screening")
  await expect(page.getByText("No matching reviews")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Clear" }).click()
  await page.getByLabel("Priority").selectOption("normal")
  await expect(row).toHaveCount(0)
  await page.getByLabel("Priority").selectOption("high")
  await row.getByRole("link").first().click()

  await expect(page).toHaveURL(/priority=high/)
  await expect(heading(page, /^PEP screening: 1 possible match/)).toBeVisible()
  await expect(main(page)).toContainText(/Individual identity · waiting \d+ min · closes in \d+ days/)
  await expect(page.getByRole("region", { name: "Person" })).toContainText("No tokens")
  await page.getByRole("button", { name: "Assign to me" }).click()
  await expect(page.getByText("Assigned to The compliance")).toBeVisible()
  await page.getByLabel("Note", { exact: true }).fill("Called the investor")
  await page.getByRole("button", { name: "Add note" }).click()
  await expect(page.getByText("Called the investor")).toBeVisible()
  await expect(page.getByLabel("Note", { exact: true })).toHaveValue("")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Show claims" }).click()
  await expect(page.getByRole("region", { name: "Claims" })).toContainText("United States (US)")
  await expectAccessible(page)

  await choose(page, "Approve")
  await expect(reasonField(page)).toBeFocused()
  // The vendor named a match, so no reason is about a document.
  await expect(page.getByRole("button", { name: "Document accepted" })).toHaveCount(0)
  await page.getByRole("button", { name: "Different person" }).click()
  await page.getByRole("button", { name: "False positive" }).click()
  await expect(reasonField(page)).toHaveValue("False positive")
  await expect(reasonField(page)).toBeFocused()
  await reasonField(page).fill("Passport checked by hand")
  await page.getByRole("button", { name: "False positive" }).click()
  await expect(reasonField(page)).toHaveValue("Passport checked by hand. False positive")
  await page.getByRole("button", { name: "View and change claims" }).click()
  await expect(page.getByLabel("Country")).toHaveValue("US")
  await page.getByLabel("Country").selectOption("CA")
  await expectAccessible(page)
  await confirm(page, "Confirm approval")
  await expect(outcome(page)).toContainText("Passport checked by hand")
  await expect(page.getByRole("region", { name: "History" }).getByRole("listitem").first()).toContainText(
    "Passport checked by hand",
  )
  await expectAccessible(page)
  await expect.poll(async () => (await customer.api.status(wallet)).status).toBe("verified")

  const { attestation_id } = await customer.api.status(wallet)
  await page.goto(section(customer, `attestations/${attestation_id}`))
  await expect(page.getByText("Approved by a member")).toBeVisible()
  await page.getByRole("link", { name: "See how it was decided" }).click()
  await expect(page).toHaveURL(path)
  await page.goto(section(customer, `attestations/${attestation_id}`))
  await page.goto(section(customer, `audit?subject=${attestation_id}`))
  await expect(page.getByRole("row", { name: / approved .* verification/ })).toContainText("Passport checked by hand")
})

test("on a phone, the person comes before the decision, whose buttons are at the bottom of the screen", async ({
  page,
  customer,
}) => {
  const { path } = await leftInReview(customer, { reason: "Document is blurred" })
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(path)
  const [person, decision] = ["Person", "Decision"].map((name) => page.getByRole("region", { name, exact: true }))
  await expect(page.getByText("The provider sent none with this case.")).toBeVisible()
  expect((await person!.boundingBox())!.y).toBeLessThan((await decision!.boundingBox())!.y)
  const inBar = main(page).getByRole("button", { name: "Reject", exact: true }).last()
  await expect(inBar).toBeInViewport({ ratio: 1 })
  await expectAccessible(page)
  await inBar.click()
  await expect(reasonField(page)).toBeFocused()
  await expect(reasonField(page)).toBeInViewport()
  await expect(main(page).getByRole("button", { name: "Reject", exact: true })).toHaveCount(1)
})

test("claims in a review name their wallet, and those that contradict the person's others are marked", async ({
  page,
  customer,
}) => {
  const externalId = `two-countries-${Date.now()}`
  const first = await customer.api.start({ externalId })
  await decide(first.sessionId, "approved", origin, "US")
  await expect.poll(async () => (await customer.api.status(first.wallet)).status).toBe("verified")
  const second = await customer.api.start({ externalId })
  const claims = { country: "CA" }
  await report(second.sessionId, { decision: "in_review", reason: "Address differs from the document", claims })
  await page.goto(section(customer, `reviews/${await reviewOf(customer, second.wallet)}`))
  const card = page.getByRole("region", { name: "Claims" })
  await expect(card.getByRole("status")).toContainText("contradict each other: country.")
  await expect(card).not.toContainText("Canada")
  await card.getByRole("button", { name: "Show claims" }).click()
  for (const [wallet, country] of [
    [first.wallet, "United States (US)"],
    [second.wallet, "Canada (CA)"],
  ] as const) {
    await expect(card.getByRole("listitem").filter({ hasText: wallet })).toContainText(`${country} (differs)`)
  }
  await expectAccessible(page)
})

ofFirm("a whole queue is decided by keyboard alone", async ({ page, firm }) => {
  const cases = ["PEP screening: 1 possible match", "Document is blurred", "Address differs from the document"]
  for (const reason of cases) await leftInReview(firm, { reason })
  const [first, second, third] = cases as [string, string, string]
  await page.goto(section(firm, "reviews"))
  const link = page.getByRole("link", { name: new RegExp(first) })
  await expect(link).toBeVisible()
  while (!(await link.evaluate((element) => element === document.activeElement))) await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await expect(heading(page, new RegExp(first))).toBeVisible()

  // Held with another key, these are the browser's.
  for (const held of ["Control+a", "Alt+r", "Shift+A"]) await page.keyboard.press(held)
  await expect(reasonField(page)).toHaveCount(0)
  await expect(page.getByRole("link", { name: "Next", exact: true })).toBeVisible()
  await page.keyboard.press("j")
  await expect(heading(page, new RegExp(second))).toBeVisible()
  await expect(page.getByRole("link", { name: "Previous" })).toBeVisible()
  await page.keyboard.press("k")
  await expect(heading(page, new RegExp(first))).toBeVisible()
  await expect(page.getByRole("link", { name: "Next", exact: true })).toBeVisible()

  await page.keyboard.press("a")
  await expect(reasonField(page)).toBeFocused()
  await expect(page.getByRole("button", { name: "Confirm approval" })).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.keyboard.type("a jury asked: not the person, j k r")
  await expect(reasonField(page)).toHaveValue("a jury asked: not the person, j k r")
  await expect(heading(page, new RegExp(first))).toBeVisible()
  await page.keyboard.press("Escape")
  await page.keyboard.press("j")
  await expect(page.getByText("You have not sent what you wrote.")).toBeVisible()
  await page.getByRole("navigation", { name: "Queue" }).getByRole("link", { name: "Next" }).click()
  await expect(heading(page, new RegExp(first))).toBeVisible()
  await page.keyboard.press("r")
  await expect(reasonField(page)).toBeFocused()
  await expect(reasonField(page)).toHaveValue("a jury asked: not the person, j k r")
  await page.keyboard.press("Escape")
  await page.keyboard.press("a")
  await page.keyboard.press("Control+Enter")
  // The next case opens automatically.
  await expect(heading(page, new RegExp(second))).toBeFocused()
  await expect(page.getByRole("status").filter({ hasText: "Approved" })).toContainText(`Now: ${second}`)
  await expectAccessible(page)

  await page.keyboard.press("r")
  await expect(reasonField(page)).toHaveValue("")
  await page.keyboard.type("Blurred again")
  await page.keyboard.press("Control+Enter")
  await expect(heading(page, new RegExp(third))).toBeFocused()
  await expect(page.getByRole("button", { name: "Next", exact: true })).toBeDisabled()
  await page.keyboard.press("r")
  await page.keyboard.type("Differs")
  await page.keyboard.press("Control+Enter")
  await expect(page.getByText("That was the last case.")).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByRole("link", { name: "Back to the queue" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByText("Nothing to review")).toBeVisible()
  await expect(page.getByRole("link", { name: "Start reviewing" })).toHaveCount(0)
})

ofFirm("cases take two clicks each: a reason and its confirmation", async ({ page, firm }) => {
  const cases = ["Document is blurred", "PEP screening: 1 possible match", "Address differs from the document"]
  const externalIds = ["ana-diaz-1", "ben-okafor-2", "cleo-wu-3"]
  const reviews: Awaited<ReturnType<typeof leftInReview>>[] = []
  for (const [n, reason] of cases.entries())
    reviews.push(await leftInReview(firm, { reason, externalId: externalIds[n]! }))
  await page.goto(section(firm, "reviews?kind=vendor"))
  const row = (reason: string) => page.getByRole("row").filter({ hasText: reason })
  await expect(row(cases[1]!)).toContainText("High")
  await expect(row(cases[0]!)).toHaveCount(1)
  await expect(row(cases[0]!)).not.toContainText("Normal")
  await page.getByRole("link", { name: "Start reviewing" }).click()
  await expect(page).toHaveURL(`${reviews[0]!.path}?kind=vendor`)
  const reasonFor = (decision: string, reason: string) =>
    page
      .getByRole("group", { name: `${decision}: suggested reasons` })
      .getByRole("button", { name: reason })
      .click()
  await reasonFor("Approve", "Document accepted")
  await expect(reasonField(page)).toHaveValue("Document accepted")
  await expect(page.getByRole("button", { name: "Confirm approval" })).toBeInViewport()
  // Once a decision is chosen, the reasons of the others are folded.
  await expect(page.getByRole("group", { name: "Reject: suggested reasons" })).toHaveCount(0)
  await choose(page, "Reject")
  await reasonFor("Reject", "Details differ")
  await expect(reasonField(page)).toHaveValue("Details differ")
  await expect(page.getByRole("button", { name: "Confirm rejection" })).toBeInViewport()
  await choose(page, "Approve")
  await reasonFor("Approve", "Document accepted")
  await confirm(page, "Confirm approval")
  await expect(page.getByRole("button", { name: "Stay here" })).toBeVisible()
  await expect(heading(page, new RegExp(cases[1]!))).toBeFocused()
  await expect(page).toHaveURL(/kind=vendor/)
  const decided = page.getByRole("status").filter({ hasText: "Now:" })
  await expect(decided).toHaveText(`Approved ana-diaz-1. Now: ${cases[1]}`)

  await reasonFor("Reject", "Match confirmed")
  await confirm(page, "Confirm rejection")
  // Stopped, by the button or Escape, the page stays.
  await page.getByRole("button", { name: "Stay here" }).click()
  await page.waitForTimeout(3500)
  await expect(outcome(page)).toContainText("Match confirmed")
  await expect(page.getByRole("link", { name: "Next case (1 left)" })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Next case (1 left)" }).click()
  await expect(decided).toHaveText(`Rejected ben-okafor-2. Now: ${cases[2]}`)
  await decided.getByRole("link", { name: "ben-okafor-2" }).click()
  await expect(outcome(page)).toContainText("Match confirmed")
  await expect(decided).toHaveCount(0)
})

ofFirm("a case stays open while its member writes a note, and if they want it to", async ({ page, firm }) => {
  const first = await leftInReview(firm, { reason: "Document is blurred" })
  const second = await leftInReview(firm, { reason: "Address differs from the document" })
  await leftInReview(firm, { reason: "Name differs from the document" })
  await page.goto(first.path)
  const note = page.getByLabel("Note", { exact: true })
  await note.fill("Called the investor")
  await choose(page, "Approve")
  await page.getByRole("button", { name: "Document accepted" }).click()
  await confirm(page, "Confirm approval")
  await expect(page.getByRole("link", { name: "Next case (2 left)" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Stay here" })).toHaveCount(0)
  await expect(outcome(page)).toContainText("Document accepted")
  await expect(note).toHaveValue("Called the investor")
  await page.getByRole("link", { name: "Next case (2 left)" }).click()
  await expect(page.getByText("You have not sent what you wrote.")).toBeVisible()
  await expect(note).toHaveValue("Called the investor")

  await page.getByRole("button", { name: "Add note" }).click()
  await expect(note).toHaveValue("")
  await page.goto(second.path)
  await page.getByRole("button", { name: "Document accepted" }).click()
  await confirm(page, "Confirm approval")
  await page.getByLabel("Open the next case automatically").uncheck()
  await expect(page.getByRole("button", { name: "Stay here" })).toHaveCount(0)
  await page.reload()
  await page.getByRole("navigation", { name: "Queue" }).getByRole("link", { name: "Next" }).click()
  await page.getByRole("button", { name: "Document accepted" }).click()
  await confirm(page, "Confirm approval")
  await expect(page.getByText("That was the last case.")).toBeVisible()
})

test("a reason stays when sending it fails, and when another decision is chosen", async ({
  page,
  customer,
  traffic,
}) => {
  traffic.allow(/503/)
  const { path, wallet } = await leftInReview(customer)
  await stays(page)
  await page.goto(path)
  await choose(page, "Reject")
  await confirm(page, "Confirm rejection")
  await expect(page.getByText("Required")).toBeVisible()
  await expect(reasonField(page)).toBeFocused()
  await expect(page.getByRole("button", { name: "Confirm rejection" })).toBeInViewport({ ratio: 1 })
  await reasonField(page).fill("Name differs")
  await page.route("**/api/trpc/review.decide*", (route) => route.fulfill({ status: 503, json: {} }))
  await confirm(page, "Confirm rejection")
  await expect(main(page).getByRole("alert")).toBeFocused()
  await expect(reasonField(page)).toHaveValue("Name differs")
  await expectAccessible(page)
  await page.unroute("**/api/trpc/review.decide*")
  await choose(page, "Request resubmission")
  await expect(reasonField(page)).toHaveValue("Name differs")
  await expect(page.getByLabel("Reason shown to the investor")).toHaveValue("resubmit")
  await choose(page, "Reject")
  await confirm(page, "Confirm rejection")
  await expect(outcome(page)).toContainText("Name differs")
  expect((await customer.api.status(wallet)).status).toBe("rejected")
})

test("a decision by another member ends the writing of one, whose reason stays readable", async ({
  page,
  as,
  customer,
}) => {
  const { path, wallet } = await leftInReview(customer)
  const other = await as("compliance")
  await stays(page)
  await page.goto(path)
  await choose(page, "Approve")
  await reasonField(page).fill("All clear")
  await stays(other)
  await other.goto(path)
  await choose(other, "Reject")
  await reasonField(other).fill("Name differs")
  await other.getByLabel("Reason shown to the investor").selectOption("information_mismatch")
  await expectAccessible(other)
  await confirm(other, "Confirm rejection")
  await expect(outcome(other)).toContainText("Name differs")
  await expect(outcome(page)).toContainText("This was decided while you were writing.")
  await expect(outcome(page)).toContainText("“All clear”")
  await expect(outcome(page)).toContainText("The compliance")
  await expectAccessible(page)
  expect((await customer.api.status(wallet)).status).toBe("rejected")
})

test("something found while a member writes is sent along only once they have looked at it", async ({
  page,
  customer,
}) => {
  const { path, sessionId } = await leftInReview(customer, { reason: "Document is blurred" })
  await stays(page)
  await page.goto(path)
  await choose(page, "Approve")
  await reasonField(page).fill("Readable enough")
  await report(sessionId, { decision: "in_review", reason: "PEP screening: 1 possible match" })
  await expect(page.getByText("Newest finding: PEP screening: 1 possible match.")).toBeVisible()
  await expect(page.getByRole("button", { name: "Confirm approval" })).toBeDisabled()
  await expectAccessible(page)
  await page.getByRole("button", { name: "I have looked at it" }).click()
  await choose(page, "Reject")
  await expect(reasonField(page)).toHaveValue("Readable enough")
  await confirm(page, "Confirm rejection")
  await expect(outcome(page)).toContainText("Readable enough")
})

test("a decision that arrives second is refused, and the page shows the first", async ({
  page,
  as,
  customer,
  traffic,
}) => {
  traffic.allow(/409 \(Conflict\)|ERR_FAILED/)
  const { path } = await leftInReview(customer)
  await stays(page)
  await page.goto(path)
  await choose(page, "Approve")
  await reasonField(page).fill("All clear")
  // The page learns nothing of what others do.
  await page.route("**/api/trpc/review.get*", (route) => route.abort())
  const other = await as("compliance")
  await stays(other)
  await other.goto(path)
  await choose(other, "Reject")
  await reasonField(other).fill("Name differs")
  await confirm(other, "Confirm rejection")
  await expect(outcome(other)).toBeVisible()
  await page.unroute("**/api/trpc/review.get*")
  const answered = page.waitForResponse((response) => response.url().includes("review.decide"))
  await confirm(page, "Confirm approval")
  expect((await answered).status()).toBe(409)
  await expect(outcome(page)).toContainText("“All clear”")
  await expect(outcome(page)).toContainText("Name differs")
})

test("at 320 px, all decisions are in view", async ({ page, customer }) => {
  const { path } = await leftInReview(customer)
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto(path)
  for (const name of ["Approve", "Request resubmission", "Reject"])
    await expect(page.getByRole("button", { name, exact: true }).last()).toBeInViewport({ ratio: 1 })
})

test("a decision whose answer is lost is shown as the member's own", async ({ page, customer, traffic }) => {
  traffic.allow(/review\.decide|ERR_FAILED/)
  const { path } = await leftInReview(customer)
  await stays(page)
  await page.goto(path)
  await choose(page, "Reject")
  await reasonField(page).fill("Name differs")
  await page.route("**/review.decide", async (route) => {
    await route.fetch()
    await route.abort("failed")
  })
  await confirm(page, "Confirm rejection")
  await expect(outcome(page)).toContainText("Rejected")
  await expect(outcome(page)).toContainText("Name differs")
  await expect(page.getByText("Your reason was not sent")).toHaveCount(0)
})

ofFirm(
  "reviews are assigned together, and one that was decided in the meantime is named",
  {
    tag: ["@phone"],
  },
  async ({ page, browser, firm }) => {
    const cases: Awaited<ReturnType<typeof leftInReview>>[] = []
    for (const externalId of ["investor-1", "investor-2", "investor-3"])
      cases.push(await leftInReview(firm, { externalId }))
    const { cookies } = await createMember(firm, "compliance")
    await stays(page)
    await page.goto(section(firm, "reviews"))
    await page.getByRole("checkbox", { name: "Select all on this page" }).check()
    const bar = page.getByRole("region", { name: "Selected reviews" })
    await expect(bar).toContainText("3 selected")
    await bar.getByLabel("Assign to").selectOption("The compliance")
    await expectAccessible(page)

    const context = await browser.newContext({ storageState: cookies, baseURL: origin })
    const other = await context.newPage()
    await stays(other)
    await other.goto(cases[1]!.path)
    await choose(other, "Reject")
    await reasonField(other).fill("Name differs")
    await confirm(other, "Confirm rejection")
    await expect(outcome(other)).toBeVisible()

    await bar.getByRole("button", { name: "Assign" }).click()
    await expect(page.getByText("2 reviews assigned to The compliance")).toBeVisible()
    const missed = page.getByText("Not assigned, because it was closed in the meantime:")
    await expect(missed).toContainText("investor-2")
    await expect(bar).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole("button", { name: "Dismiss" }).click()
    await expect(missed).toHaveCount(0)

    // Their own cases lead to each other.
    await other.goto(section(firm, "reviews?assigned=me"))
    await expect(other.getByRole("row")).toHaveCount(3)
    await other.getByRole("row").nth(1).getByRole("link").first().click()
    await choose(other, "Reject")
    await reasonField(other).fill("Name differs")
    await confirm(other, "Confirm rejection")
    await expect(other.getByRole("link", { name: "Next case (1 left)" })).toHaveAttribute("href", /assigned=me$/)
    await context.close()
  },
)

test("a member without reviews sees no link and no count, and the page says why", async ({ as, customer }) => {
  for (const role of ["developer", "viewer"] as const) {
    const page = await as(role)
    await page.goto(section(customer, "reviews"))
    await expect(page.getByText("Your role does not include reviews")).toBeVisible()
    await expect(page.getByRole("navigation").getByRole("link", { name: /^Reviews/ })).toHaveCount(0)
    await expectAccessible(page)
    const refused = await page.request.get("/api/trpc/review.list?input={}", {
      headers: { "x-vouch-workspace": customer.workspaces.test, origin },
    })
    expect(refused.status()).toBe(403)
  }
})

ofFirm("all reviews that match a filter are assigned across pages", async ({ page, firm }) => {
  const start = async (n: number) => {
    const { sessionId } = await firm.api.start({ externalId: `fund-${n}` })
    await decide(sessionId, "in_review")
  }
  for (let n = 0; n < 52; n += 13) await Promise.all(Array.from({ length: 13 }, (_, i) => start(n + i)))
  await page.goto(section(firm, "reviews?q=fund"))
  await page.getByRole("checkbox", { name: "Select all on this page" }).check()
  const bar = page.getByRole("region", { name: "Selected reviews" })
  await bar.getByRole("button", { name: "Select all 52 matching" }).click()
  await expect(bar).toContainText("All 52 matching selected")
  // One that arrives now is not part of the act, and its box says so.
  await start(52)
  await page.getByRole("button", { name: "Newer" }).click()
  const late = page.getByRole("checkbox", { name: /fund-52: not selected, because it came after/ })
  await expect(late).toBeDisabled()
  await expect(late).not.toBeChecked()
  const counted = page.getByRole("checkbox", { name: /^Select fund/ })
  await expect(counted).toHaveCount(2)
  for (const box of await counted.all()) await expect(box).toBeChecked()
  await expectAccessible(page)
  await bar.getByRole("button", { name: "Assign" }).click()
  await expect(page.getByText("52 reviews assigned to you")).toBeVisible()
  await page.goto(section(firm, "reviews?assigned=me"))
  await expect(page.getByRole("row")).toHaveCount(51)
})
