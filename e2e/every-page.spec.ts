import { get } from "node:http"
import type { Page } from "@playwright/test"
import { test as base, section } from "./dashboard.ts"
import { brokenWords, countLayoutShifts, layoutShifts, scrollingTables } from "./layout.ts"
import { type Pages, pageNames, seed } from "./pages.ts"
import { takePicture } from "./pictures.ts"
import { expect, expectAccessible, heading } from "./support.ts"

/**
 * First-load JavaScript of a page: the scripts in its HTML, compressed. A page may load 250 kB in all, and the rest is
 * less than 40 kB.
 */
const MAX_SCRIPT_BYTES = 200_000
/** Google considers up to 0.1 good. */
const MAX_LAYOUT_SHIFT = 0.05
/** The widths of a small phone and a usual one, of half a screen, and of a desktop. */
const WIDTHS = [320, 375, 900, 1280]

const test = base.extend<object, { pages: Pages }>({
  pages: [async ({ customer }, use) => use(await seed(customer)), { scope: "worker", timeout: 120_000 }],
})

for (const name of pageNames) {
  test(`${name}: a heading, nothing that moves, no broken word, no axe violation, nothing too wide`, async ({
    page,
    pages,
  }) => {
    await page.addInitScript(countLayoutShifts)
    const isQuiet = await slowDown(page)
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(pages[name])
      await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible()
      await expect(page).toHaveTitle(/Vouch/)
      await expect(page.locator("[aria-busy=true], [data-slot=skeleton]")).toHaveCount(0)
      await expect.poll(isQuiet).toBe(true)
      const shifts = await layoutShifts(page)
      const sum = shifts.reduce((all, { value }) => all + value, 0)
      expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT)
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      expect(await brokenWords(page), `${width} px`).toEqual([])
      if (width < 768) await expect.poll(() => scrollingTables(page), `${width} px`).toEqual([])
    }
    // Other tests check the colors of pages on a desktop.
    await page.setViewportSize({ width: 375, height: 800 })
    await expectAccessible(page)
    await takePictures(page, name)
  })
}

/**
 * Delays answers, so that loading states are drawn and the order of answers varies. Returns whether all requested
 * answers have arrived.
 */
async function slowDown(page: Page): Promise<() => boolean> {
  let waiting = 0
  await page.route("**/api/trpc/**", async (route) => {
    // The event stream never ends.
    const isStream = route.request().url().includes("activity.changes")
    if (!isStream) waiting++
    await new Promise((resolve) => setTimeout(resolve, 200))
    await route.continue().catch(() => {})
    if (isStream) return
    // Leaving a page cancels its requests.
    await route
      .request()
      .response()
      .then((response) => response?.finished())
      .catch(() => {})
    waiting--
  })
  return () => waiting === 0
}

async function takePictures(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of [
    ["", { width: 1280, height: 800 }],
    ["narrow-", { width: 375, height: 812 }],
  ] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await takePicture(page, `${name}-${size}${colorScheme}`)
    }
  }
}

test("an unknown address below a workspace keeps the navigation and answers 404", async ({
  page,
  customer,
  traffic,
}) => {
  traffic.allow(/404 \(Not Found\)/)
  for (const path of ["nowhere", "nowhere/else", "tokens/a/b/c"]) {
    const response = await page.goto(section(customer, path))
    expect(response!.status()).toBe(404)
    await expect(heading(page, "Page not found")).toBeVisible()
  }
  await expectAccessible(page)
  await page.getByRole("button", { name: "Search", exact: true }).click()
  const search = page.getByRole("dialog", { name: "Search everything" })
  await search.getByRole("combobox").fill("webh")
  await search.getByRole("option", { name: "Webhooks" }).click()
  await expect(heading(page, "Webhooks")).toBeVisible()
  await page.goto(section(customer, "nowhere"))
  await page.getByRole("link", { name: "Go to the overview" }).click()
  await expect(heading(page, "Overview")).toBeVisible()
})

test("every page loads at most 200 kB of JavaScript at first, compressed", async ({ page, pages }) => {
  const sizes: Record<string, number> = {}
  // The hosted page has a separate budget for everything it loads (`hosted-page.spec.ts`).
  const { "hosted-page": _, ...others } = pages
  for (const [name, path] of Object.entries({ ...others, "sign-in": "/sign-in" })) {
    const response = await page.request.get(path)
    const html = await response.text()
    // The tested browser does not load polyfills for old browsers.
    const tags = (html.match(/<script[^>]*>/g) ?? []).filter((tag) => !/\snomodule\b/i.test(tag))
    const scripts = tags.flatMap((tag) => /\ssrc="([^"]+)"/.exec(tag)?.[1] ?? [])
    expect(scripts.length, name).toBeGreaterThan(0)
    const bytes = await Promise.all([...new Set(scripts)].map(compressedSize))
    sizes[name] = bytes.reduce((sum, one) => sum + one, 0)
  }
  console.log(
    Object.entries(sizes)
      .map(([name, bytes]) => `${name} ${Math.round(bytes / 1000)} kB`)
      .join(", "),
  )
  for (const [name, bytes] of Object.entries(sizes)) expect(bytes, name).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
})

function compressedSize(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: "localhost", port: process.env.PORT, path, headers: { "accept-encoding": "gzip" } }, (response) => {
      let bytes = 0
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on("end", () => {
        // Small responses are sent uncompressed.
        if (response.statusCode === 200) resolve(bytes)
        else reject(new Error(`${path}: ${response.statusCode}`))
      })
    }).on("error", reject)
  })
}
