import { section, test } from "./dashboard.ts"
import { furnish, pageNames } from "./pages.ts"
import { expect } from "./support.ts"

/** What Google calls good is 0.1. */
const MOST = 0.05

test("no page moves about while it loads", async ({ page, customer }) => {
  test.slow()
  const { pages } = await furnish(customer)
  await page.addInitScript(() => {
    const shifts: { value: number; of: string[] }[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
        sources: { node: Node | null }[]
      })[]) {
        const of = entry.sources.map(({ node }) =>
          (node instanceof Element ? node.outerHTML : String(node?.textContent)).slice(0, 120),
        )
        if (!entry.hadRecentInput) shifts.push({ value: entry.value, of })
      }
    }).observe({ type: "layout-shift", buffered: true })
  })
  // Slow enough that what is drawn meanwhile is seen, and what comes first differs from page to page.
  await page.route("**/api/trpc/**", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    await route.continue().catch(() => {})
  })
  const found: string[] = []
  for (const name of pageNames.filter((one) => one !== "reference")) {
    await page.goto(pages[name])
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0)
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)))
    const shifts = await page.evaluate(
      () => (window as unknown as { shifts: { value: number; of: string[] }[] }).shifts,
    )
    const sum = shifts.reduce((all, { value }) => all + value, 0)
    if (sum > MOST) found.push(`${name}: ${sum.toFixed(3)} ${JSON.stringify(shifts)}`)
  }
  expect(found).toEqual([])
})

test("an address below a workspace that is no page keeps the navigation, and says so in its status", async ({
  page,
  customer,
  traffic,
}) => {
  traffic.forgive(/404 \(Not Found\)/)
  for (const path of ["nowhere", "nowhere/else", "tokens/a/b/c"]) {
    const response = await page.goto(section(customer, path))
    expect(response!.status()).toBe(404)
    await expect(page.getByRole("heading", { level: 1, name: "There is no such page" })).toBeVisible()
  }
  await page.getByRole("link", { name: "Go to the overview" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
})
