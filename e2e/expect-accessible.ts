import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "@playwright/test"
import type axe from "axe-core"
import { expect } from "./expect.ts"
import { scrollingTables } from "./layout.ts"

/** Half the size of `axe.source`, which is sent to each page. */
const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const sizes = [
  { width: 375, height: 812 },
  { width: 1280, height: 800 },
]

/**
 * Checks a state of a page on a phone's screen and a desktop's: no axe violation, dark at the page's own size, nothing
 * wider than the screen, and on a phone's no table that scrolls sideways. Restores the page's size afterwards. A phone's
 * screen has no other sizes, so only the desktop's are checked in between. `within` limits axe to a selector if the rest
 * of the page was already checked.
 */
export async function expectAccessible(page: Page, within = "html"): Promise<void> {
  const before = page.viewportSize()!
  // Waits first: a color in transition from light to dark is neither.
  await page.emulateMedia({ reducedMotion: "reduce" })
  // Content in another document would not be checked.
  expect(page.frames()).toHaveLength(1)
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(source)
  // The page's own size last, so that it is restored.
  const isPhone = await page.evaluate(() => matchMedia("(pointer: coarse)").matches)
  const others = isPhone ? [] : sizes.filter(({ width }) => width !== before.width)
  for (const size of [...others, before]) {
    await page.setViewportSize(size)
    // Code that depends on the size is notified in the frame that draws it.
    await drawn(page)
    // Colors are the same at every size.
    for (const scheme of size === before ? (["light", "dark"] as const) : (["light"] as const)) {
      await page.emulateMedia({ colorScheme: scheme })
      // Rows about to be replaced are dimmed until then.
      await expect(page.locator("tbody.opacity-60")).toHaveCount(0)
      expect(await violations(page, scheme, within), `${scheme}, ${size.width} px`).toEqual([])
    }
    const excess_px = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(excess_px, `pixels that stand out to the right of ${size.width}`).toBeLessThanOrEqual(0)
    if (size.width < 768) expect(await scrollingTables(page), `tables that scroll at ${size.width} px`).toEqual([])
  }
  await page.setViewportSize(before)
}

/** Waits until changes are drawn. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => seen(null)))))

/** Dark differs only in its colors. */
const violations = (page: Page, scheme: "light" | "dark", within: string): Promise<string[]> =>
  page.evaluate(
    async ({ rules, within }) => {
      const { run } = (window as unknown as { axe: typeof axe }).axe
      const found = await run(within, {
        resultTypes: ["violations"],
        ...(rules && { runOnly: { type: "rule", values: rules } }),
      })
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    },
    { rules: scheme === "dark" ? ["color-contrast"] : null, within },
  )
