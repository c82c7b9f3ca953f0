import type { Page } from "@playwright/test"
import axe from "axe-core"
import { expect } from "./expect.ts"

const sizes = [
  { width: 375, height: 812 },
  { width: 1280, height: 800 },
]

/**
 * Holds in every state of every page, on a phone's screen and on a desktop's: no axe violation in light or dark, and
 * nothing wider than the screen. The page then has the size that it had.
 */
export async function expectSound(page: Page): Promise<void> {
  const before = page.viewportSize()!
  // Still first: a colour on its way from light to dark is neither.
  await page.emulateMedia({ reducedMotion: "reduce" })
  // What is in another document would not be looked at.
  expect(page.frames()).toHaveLength(1)
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(axe.source)
  // The page's own size last, so that it is left as it was found.
  const own = sizes.findIndex(({ width }) => width === before.width)
  for (const size of [...sizes.slice(own + 1), ...sizes.slice(0, own + 1)]) {
    await page.setViewportSize(size)
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      // Rows that are about to be replaced are dimmed for as long.
      await expect(page.locator("tbody.opacity-60")).toHaveCount(0)
      expect(await violations(page, scheme), `${scheme}, ${size.width} px`).toEqual([])
    }
    const excess_px = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(excess_px, `pixels that stand out to the right of ${size.width}`).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize(before)
}

/** Dark differs in its colours alone. */
const violations = (page: Page, scheme: "light" | "dark"): Promise<string[]> =>
  page.evaluate(
    async (rules) => {
      const { run } = (window as unknown as { axe: typeof axe }).axe
      const found = await run(document, {
        resultTypes: ["violations"],
        ...(rules && { runOnly: { type: "rule", values: rules } }),
      })
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    },
    scheme === "dark" ? ["color-contrast"] : null,
  )
