import type { Page } from "@playwright/test"
import { renderPage } from "../server/pages/hosted-page/page.ts"
import type { Shown } from "../server/pages/hosted-page/states.ts"
import { wordsIn } from "../server/pages/hosted-page/words.ts"
import { type Language, languageCodes, languages } from "../shared/languages.ts"
import { hostedPageStates } from "../test/fixtures/hosted-page-states.ts"
import { origin } from "./api.ts"
import { expect, expectAccessible, test } from "./support.ts"

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
    // The narrowest screen that WCAG requires, and letters of twice the size on the widest phone.
    await page.setViewportSize({ width: 320, height: 640 })
    for (const [name, shown] of Object.entries(hostedPageStates)) {
      await show(page, shown, language)
      expect(await excess(page), `${name}, narrow`).toBeLessThanOrEqual(0)
      await page.setViewportSize({ width: 639, height: 800 })
      await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"))
      expect(await excess(page), `${name}, large text`).toBeLessThanOrEqual(0)
      await page.setViewportSize({ width: 320, height: 640 })
    }
  })
}

test("Arabic runs from right to left, and addresses, links and names from left to right", async ({ page, traffic }) => {
  traffic.allow(/verification\.view: net::ERR_ABORTED/)
  const brand = { color: null, contact: "https://acme.example/faq#!", logo: null }
  for (const [name, shown] of Object.entries(hostedPageStates)) {
    const known = shown.state === "unknown" || shown.state === "failed" ? shown : { ...shown, company: "Acme!", brand }
    await show(page, known, "ar")
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl")
    expect(await page.evaluate(misplaced), name).toEqual([])
  }
})

test("Arabic is accessible in light and dark, on a phone and a desktop", async ({ page, traffic }) => {
  traffic.allow(/verification\.view: net::ERR_ABORTED/)
  const names = ["form", "wallet", "walletOnChain", "again resubmit", "handedOver", "inReview", "verified", "reminder"]
  for (const name of [...names, "renewal", "rejected pending", "expired open", "unknown", "failed"]) {
    await show(page, hostedPageStates[name]!, "ar")
    await expectAccessible(page)
  }
})

const excess = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

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

/** Runs in the page: finds elements that are too wide, cut off, broken inside words, or too small to tap. */
function misfits(target_px: number): string[] {
  const found: string[] = []
  const excess_px = document.documentElement.scrollWidth - innerWidth
  if (excess_px > 0) found.push(`${excess_px} px too wide`)
  for (const element of document.querySelectorAll<HTMLElement>("#page *")) {
    const { overflowX, display } = getComputedStyle(element)
    const isCut = element.scrollWidth > element.clientWidth + 1 && overflowX !== "visible" && display !== "inline"
    if (isCut && !element.closest(".sr, option")) found.push(`cut off: ${element.textContent}`)
  }
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
    for (const { 0: word, index } of text.textContent!.matchAll(/[\p{Script=Latin}\p{Script=Arabic}\p{M}’]+/gu)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) found.push(`broken: ${word}`)
    }
  }
  return found
}

/** Runs in the page: finds parts of a page in Arabic that are on the wrong side, or whose letters are in the wrong order. */
function misplaced(): string[] {
  const found: string[] = []
  const box = (selector: string, within: ParentNode = document) =>
    within.querySelector(selector)?.getBoundingClientRect()
  const steps = [...document.querySelectorAll(".steps li")].map((step) => step.getBoundingClientRect().left)
  if (steps.some((left, index) => left > (steps[index - 1] ?? Infinity))) found.push("steps")
  for (const row of document.querySelectorAll(".facts div"))
    if (box("dt", row)!.left < box("dd", row)!.right) found.push(`fact: ${row.textContent}`)
  for (const tick of document.querySelectorAll(".tick"))
    if (box(".box", tick)!.left < box(":scope > span:last-child", tick)!.right) found.push(`tick: ${tick.textContent}`)
  for (const select of document.querySelectorAll(".select"))
    if (box(".icon", select)!.right > box("select", select)!.left + 40) found.push("chevron")
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement!
    const value = text.textContent!
    if (parent.closest("script, style, option, nav, .sr") || !parent.checkVisibility() || !value.trim()) continue
    const leftOf = (index: number) => {
      const range = document.createRange()
      range.setStart(text!, index)
      range.setEnd(text!, index + 1)
      const { left, top } = range.getBoundingClientRect()
      return { left, top }
    }
    const first = leftOf(value.search(/\S/))
    const last = leftOf(value.trimEnd().length - 1)
    // Text on several lines has no single order.
    if (value.trim().length < 2 || Math.abs(first.top - last.top) > 2) continue
    const isArabic = /\p{Script=Arabic}/u.test(value)
    if (isArabic ? first.left < last.left : first.left > last.left) found.push(value)
  }
  return found
}
