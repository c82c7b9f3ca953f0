import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "@playwright/test"
import type axe from "axe-core"
import { expect } from "./expect.ts"

/** Half as much to send to each page as `axe.source`. */
const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const sizes = [
  { width: 375, height: 812 },
  { width: 1280, height: 800 },
]

/**
 * Holds in every state of every page, on a phone's screen and on a desktop's: no axe violation in light or dark, and
 * nothing wider than the screen. The page then has the size that it had. What is a phone has one size: the others have
 * been seen by the same test on the desktop. `within` is a selector of what axe looks at, where the rest of a page has
 * been looked at by itself.
 */
export async function expectSound(page: Page, within = "html"): Promise<void> {
  const before = page.viewportSize()!
  // Still first: a colour on its way from light to dark is neither.
  await page.emulateMedia({ reducedMotion: "reduce" })
  // What is in another document would not be looked at.
  expect(page.frames()).toHaveLength(1)
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(source)
  // The page's own size last, so that it is left as it was found.
  const isPhone = await page.evaluate(() => matchMedia("(pointer: coarse)").matches)
  const others = isPhone ? [] : sizes.filter(({ width }) => width !== before.width)
  for (const size of [...others, before]) {
    await page.setViewportSize(size)
    // What depends on the size is told of it in the frame that draws it.
    await drawn(page)
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      // Rows that are about to be replaced are dimmed for as long.
      await expect(page.locator("tbody.opacity-60")).toHaveCount(0)
      expect(await violations(page, scheme, within), `${scheme}, ${size.width} px`).toEqual([])
    }
    const excess_px = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(excess_px, `pixels that stand out to the right of ${size.width}`).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize(before)
}

/** Until what has changed is on the screen. */
const drawn = (page: Page) =>
  page.evaluate(
    () => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => seen(null)))),
  )

/** Dark differs in its colours alone. */
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
