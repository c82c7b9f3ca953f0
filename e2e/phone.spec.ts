import { randomBytes } from "node:crypto"
import { request } from "@playwright/test"
import { decide, origin } from "./api.ts"
import { test as base, type Customer, createCustomer, section, showFilters } from "./dashboard.ts"
import { scrollingTables } from "./layout.ts"
import { expect, expectAccessible, heading } from "./support.ts"

const FUND = "us_real_estate_fund_v1"
const LONG = "0123456789".repeat(8)

type Long = Customer & { name: string; wallet: string; endpoint: string }

/** A customer whose names, ids and amounts are long. */
const test = base.extend<object, { long: Long }>({
  long: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
    async ({}, use) => use(await createLong()),
    { scope: "worker", timeout: 120_000 },
  ],
  storageState: async ({ long }, use) => use(long.cookies),
})

async function createLong(): Promise<Long> {
  const customer = await createCustomer()
  const { api, cookies, workspaces } = customer
  const name = `investor-${randomBytes(3).toString("hex")}-${LONG}`
  const { wallet, sessionId } = await api.start({ externalId: name })
  const left = await api.start({ externalId: `${name}-2` })
  await api.start({ externalId: `${name}-3` })
  await api.start()
  await decide(left.sessionId, "in_review")
  await decide(sessionId, "approved")
  await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
  const mint = { user_pubkey: wallet, mint_config: FUND, amount: "9876543.21" }
  await api.call("POST", "/token/mint", mint)
  await api.send("POST", "/token/mint", { ...mint, user_pubkey: left.wallet })
  const url = `https://ledger.example.com/${LONG}/${LONG}`
  const { endpoint_id } = await api.call("POST", "/webhook-endpoints", { url, description: `Of the ${LONG}` })
  const owner = await request.newContext({ baseURL: origin, storageState: cookies })
  const scopes = ["kyc:read", "kyc:write", "token:mint", "token:transfer", "attestation:read", "attestation:write"]
  const created = await owner.post("/api/trpc/key.create", {
    data: { name: LONG, scopes },
    headers: { "x-vouch-workspace": workspaces.test, origin },
  })
  expect(created.status(), await created.text()).toBe(200)
  await owner.dispose()
  return { ...customer, name, wallet, endpoint: endpoint_id }
}

test("no list scrolls sideways on a phone, however long its names are", { tag: "@phone" }, async ({ page, long }) => {
  const lists = [
    ...[
      "overview",
      "investors",
      "attestations",
      "sessions",
      "sessions?state=closed",
      "reviews",
      "reviews?state=closed",
    ],
    ...["approvals", "tokens", "distributions", "keys", "events", "webhooks", `webhooks/${long.endpoint}`, "logs"],
    ...["schemas", "audit", "settings", "settings?part=approvals"],
    ...["holders", "operations", "holds", "register", "snapshots"].map((tab) => `tokens/${FUND}?tab=${tab}`),
  ]
  for (const list of lists) {
    await page.goto(section(long, list))
    await expect(page.getByRole("table").first()).toBeAttached()
    await expect(page.locator("[aria-busy=true], [data-slot=skeleton]")).toHaveCount(0)
    for (const width of [375, 320]) {
      await page.setViewportSize({ width, height: 812 })
      // The chart takes its new width a moment later.
      await expect.poll(() => scrollingTables(page), `${list}, ${width} px`).toEqual([])
      const excess_px = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      await expect.poll(excess_px, `${list}, ${width} px`).toBeLessThanOrEqual(0)
    }
  }
})

test("on a phone, a row is named by its investor, opens wherever it is tapped, and is still a row of a table", {
  tag: "@phone",
}, async ({ page, long }) => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(section(long, "attestations"))
  const table = page.getByRole("table", { name: "Attestations" })
  const row = table.getByRole("row", { name: long.wallet })
  for (const name of ["Investor", "Status", "Started"]) {
    await expect(table.getByRole("columnheader", { name })).toHaveCount(1)
  }
  await expect(row.getByRole("cell")).toHaveCount(4)
  const investor = row.getByText(long.name, { exact: true })
  const status = row.getByText("Verified")
  const wallet = row.locator("code")
  const [name, state, second] = await Promise.all(
    [investor, status, wallet].map(async (one) => (await one.boundingBox())!),
  )
  expect(name!.x + name!.width).toBeLessThanOrEqual(state!.x)
  expect(state!.y).toBeLessThan(name!.y + name!.height)
  expect(second!.y).toBeGreaterThanOrEqual(name!.y + name!.height)
  expect((await row.boundingBox())!.height).toBeGreaterThanOrEqual(44)
  // The investor's page is one step further: a row has one target.
  await page.mouse.click(name!.x + 20, name!.y + 5)
  await expect(heading(page, /: Individual identity Verified$/)).toBeVisible()
})

test("on a phone, filters are behind a button that counts them", { tag: "@phone" }, async ({ page, long }) => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(section(long, "investors"))
  const rows = page.getByRole("table", { name: "Investors" }).getByRole("row")
  const button = page.getByRole("button", { name: "Filters", exact: true })
  const status = page.getByLabel("Verification", { exact: true })
  await expect(rows).toHaveCount(5)
  await expect(button).toHaveAttribute("aria-expanded", "false")
  await expect(status).toBeHidden()
  // The search is over the list, because most readers look for a person.
  await expect(page.getByRole("searchbox", { name: "Search" })).toBeVisible()
  await button.focus()
  await page.keyboard.press("Enter")
  await expect(status).toBeVisible()
  await expect(page.getByRole("button", { name: "Clear" })).toBeHidden()
  await status.selectOption("verified")
  await page.getByRole("searchbox", { name: "Search" }).fill(long.name.slice(0, 12))
  await page.getByLabel("Order").selectOption("Oldest first")
  // The order hides no row, so it is no filter, and the search is in view.
  await expect(page.getByRole("button", { name: "Filters (1)" })).toHaveAttribute("aria-expanded", "true")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Show results" }).click()
  await expect(status).toBeHidden()
  await expect(page.getByRole("button", { name: "Filters (1)" })).toBeFocused()
  await expect(rows).toHaveCount(2)
  await expectAccessible(page)
  await showFilters(page)
  await page.getByRole("button", { name: "Clear" }).click()
  await expect(button).toBeVisible()
  await expect(rows).toHaveCount(5)
})

test("on a wide screen, all filters are shown and no button hides them", async ({ page, long }) => {
  await page.goto(section(long, "investors"))
  await expect(page.getByLabel("Verification", { exact: true })).toBeVisible()
  await expect(page.getByRole("button", { name: /^Filters|^Show results/ })).toHaveCount(0)
})

test("on a phone, the primary action of a page is the first", { tag: "@phone" }, async ({ page, long }) => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(section(long, `tokens/${FUND}`))
  const mint = (await page.getByRole("button", { name: "Mint", exact: true }).boundingBox())!
  for (const name of ["Transfer", "More actions"]) {
    const other = (await page.getByRole("button", { name, exact: true }).boundingBox())!
    expect(other.y > mint.y || other.x > mint.x, name).toBe(true)
  }
})

test("on a phone, the controls of lists are at least 44 pixels high", { tag: "@phone" }, async ({
  page,
  long,
  isMobile,
}) => {
  test.skip(!isMobile, "controls are larger on touch screens only")
  for (const list of ["investors", "attestations", "sessions", "keys", "schemas", "settings", `tokens/${FUND}`]) {
    await page.goto(section(long, list))
    await expect(page.getByRole("table").first()).toBeAttached()
    await expect(page.locator("[aria-busy=true], [data-slot=skeleton]")).toHaveCount(0)
    const button = page.getByRole("button", { name: /^Filters/ })
    if (await button.isVisible()) await button.click()
    const small = await page.evaluate(() =>
      // A copy button in a row is as high as its line, and the label around a checkbox is its target.
      [...document.querySelectorAll("button:not([title]), select, input:not([type=checkbox]), tr label, [role=tab]")]
        .filter((control) => control.checkVisibility() && control.getBoundingClientRect().height < 44)
        .map((control) => `${control.getBoundingClientRect().height}: ${control.outerHTML.slice(0, 120)}`),
    )
    expect(small, list).toEqual([])
  }
})
