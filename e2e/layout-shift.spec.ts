import type { Page } from "@playwright/test"
import { section, test } from "./dashboard.ts"
import { furnish, pageNames } from "./pages.ts"
import { expect } from "./support.ts"

/** What Google calls good is 0.1. */
const MOST = 0.05
/** Of a desktop, of a window beside another, and of a phone. */
const WIDTHS = [375, 900, 1280]

test("no page moves about while it loads, and no table breaks a word", async ({ page, customer }) => {
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
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      for (const word of await brokenWords(page)) found.push(`${name}, ${width} px: ${word} is broken`)
    }
    if (sum > MOST) found.push(`${name}: ${sum.toFixed(3)} ${JSON.stringify(shifts)}`)
  }
  expect(found).toEqual([])
})

/** Short words of a table that stand on two lines; not what somebody entered, which may break anywhere, nor at a hyphen. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("td:not(.wrap-anywhere), th")].flatMap((cell) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      const broken: string[] = []
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        for (const { 0: word, index } of text.textContent!.matchAll(/\S+/g)) {
          if (word.length > 14 || word.includes("-") || !text.parentElement!.checkVisibility()) continue
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
        }
      }
      return broken
    }),
  )

test("an address below a workspace that is no page keeps the navigation, and says so in its status", async ({
  page,
  customer,
  traffic,
}) => {
  traffic.forgive(/404 \(Not Found\)/)
  for (const path of ["nowhere", "nowhere/else", "tokens/a/b/c"]) {
    const response = await page.goto(section(customer, path))
    expect(response!.status()).toBe(404)
    await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible()
  }
  await page.getByRole("link", { name: "Go to the overview" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
})
