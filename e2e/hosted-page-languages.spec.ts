import type { Page } from "@playwright/test"
import { renderPage } from "../server/pages/hosted-page/page.ts"
import type { Shown } from "../server/pages/hosted-page/states.ts"
import { wordsIn } from "../server/pages/hosted-page/words.ts"
import { type Language, languageCodes, languages } from "../shared/languages.ts"
import { hostedPageStates } from "../test/fixtures/hosted-page-states.ts"
import { origin } from "./api.ts"
import { expect, test } from "./support.ts"

/** The smallest touch target, in CSS pixels. */
const TARGET_PX = 44

test.use({ viewport: { width: 375, height: 812 } })

for (const language of languageCodes) {
  test(`${languages[language]}: on a phone every state fits, breaks no word, and has targets for a finger`, async ({
    page,
    traffic,
  }) => {
    // A page may be polling its session when the next one is shown.
    traffic.allow(/verification\.view: net::ERR_ABORTED/)
    for (const [name, shown] of Object.entries(hostedPageStates)) {
      await show(page, shown, language)
      expect(await page.evaluate(misfits, TARGET_PX), name).toEqual([])
    }
    // The narrowest screen that WCAG requires.
    await page.setViewportSize({ width: 320, height: 640 })
    for (const [name, shown] of Object.entries(hostedPageStates)) {
      await show(page, shown, language)
      const excess_px = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(excess_px, name).toBeLessThanOrEqual(0)
    }
  })
}

/** Shows a state that no session is in. */
async function show(page: Page, shown: Shown, language: Language): Promise<void> {
  const url = `${origin}/verify/sess_11111111111111111111Ab`
  const body = renderPage({ shown, words: wordsIn(language), address: url, nonce: "none" })
  // Leaves the page first, because a page that polls its session would show the next state.
  await page.goto("about:blank")
  await page.unrouteAll()
  await page.route(url, (route) => route.fulfill({ contentType: "text/html", body }))
  await page.route("**/api/trpc/**", (route) => route.fulfill({ json: { result: { data: shown } } }))
  await page.goto(url)
  // The wallet step is complete once the page knows whether a wallet exists.
  if (shown.state === "open" && shown.walletProof === "needed" && shown.consented)
    await expect(page.locator(".wallet > :first-child")).not.toBeEmpty()
}

/** Runs in the page: finds elements that are too wide, broken inside words, or too small to tap. */
function misfits(target_px: number): string[] {
  const found: string[] = []
  const excess_px = document.documentElement.scrollWidth - innerWidth
  if (excess_px > 0) found.push(`${excess_px} px too wide`)
  for (const control of document.querySelectorAll<HTMLElement>("a, button, select, .entry, .tick")) {
    const { width, height } = control.getBoundingClientRect()
    if (!control.checkVisibility() || (width >= target_px && height >= target_px)) continue
    found.push(`${width.toFixed()} by ${height.toFixed()} px: ${control.textContent}`)
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement!
    // An address may break anywhere, and Japanese between its phrases.
    if (parent.closest("code, script, style, option, .sr") || !parent.checkVisibility()) continue
    for (const { 0: word, index } of text.textContent!.matchAll(/[\p{Script=Latin}’]+/gu)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) found.push(`broken: ${word}`)
    }
  }
  return found
}
