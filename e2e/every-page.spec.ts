import { mkdirSync } from "node:fs"
import { get } from "node:http"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { test as base } from "./dashboard.ts"
import { type Furnished, furnish, pageNames } from "./pages.ts"
import { expect, expectSound } from "./support.ts"

/** First-load JavaScript of a page: what its HTML names, compressed. */
const MAX_SCRIPT_BYTES = 200_000

const test = base.extend<object, { furnished: Furnished }>({
  furnished: [
    async ({ customer }, use) => use(await furnish(customer)),
    { scope: "worker", timeout: 120_000 },
  ],
})

// `npm run screenshots` writes them to docs/screenshots; every other run leaves the checkout as it is.
const folder = process.env.VOUCH_SCREENSHOTS ?? join("test-results", "screenshots")
mkdirSync(folder, { recursive: true })

for (const name of pageNames) {
  test(`${name}: a heading, no axe violation, nothing too wide, a picture in light and dark`, async ({
    page,
    furnished,
  }, { project }) => {
    test.setTimeout(180_000)
    await page.goto(furnished.pages[name])
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible()
    await expect(page).toHaveTitle(/Vouch/)
    await quiet(page)
    await expectSound(page)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      const size = project.name === "phone" ? "narrow-" : ""
      await page.screenshot({
        path: join(folder, `${name}-${size}${colorScheme}.png`),
        animations: "disabled",
        caret: "hide",
        fullPage: name !== "reference",
      })
    }
  })
}

test("every page loads at most 200 kB of JavaScript at first, compressed", async ({ page, furnished }) => {
  test.setTimeout(120_000)
  const sizes: Record<string, number> = {}
  for (const [name, path] of Object.entries({ ...furnished.pages, "sign-in": "/sign-in" })) {
    const response = await page.request.get(path)
    const html = await response.text()
    // Polyfills for old browsers are not loaded by the tested one.
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

/** Until what the page asks for has come: skeletons are gone. */
async function quiet(page: Page) {
  await expect(page.locator("[aria-busy=true], [data-slot=skeleton]")).toHaveCount(0)
}

function compressedSize(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(
      { host: "localhost", port: process.env.PORT, path, headers: { "accept-encoding": "gzip" } },
      (response) => {
        let bytes = 0
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on("end", () => {
          // What is too small to gain by it is sent as it is.
          if (response.statusCode === 200) resolve(bytes)
          else reject(new Error(`${path}: ${response.statusCode}`))
        })
      },
    ).on("error", reject)
  })
}
