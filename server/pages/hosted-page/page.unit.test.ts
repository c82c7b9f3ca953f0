import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { qrCode } from "#server/lib/qr-code.ts"
import { directionOf, languageCodes } from "#shared/languages.ts"
import { publicReasons } from "#shared/public-reasons.ts"
import { hostedPageStates as states } from "#test/fixtures/hosted-page-states.ts"
import { renderPage } from "./page.ts"
import type { Shown } from "./states.ts"
import { textsByLanguage } from "./texts/by-language.ts"
import { wordsIn } from "./words.ts"

const ADDRESS = "https://vouch.example.com/verify/sess_1"

const page = (shown: Shown, language: (typeof languageCodes)[number] = "en") =>
  renderPage({ shown, words: wordsIn(language), address: ADDRESS, nonce: "n0nce" })
const textOf = (html: string) =>
  html
    .replace(/<(style|script)[^>]*>.*?<\/\1>|<\/?bdi[^>]*>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")

test.each(Object.keys(states))('state "%s" has its own text in each language', (name) => {
  const texts = languageCodes.map((language) => {
    const html = page(states[name]!, language)
    expect(html).toContain(`<html lang="${language}" dir="${directionOf(language)}"`)
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(textOf(html)).not.toMatch(/undefined|null|NaN|\[object|\{\w+\}/)
    // The state that the script reads is the one that was rendered.
    const [, view] = /data-view="([^"]*)"/.exec(html)!
    expect(JSON.parse(view!.replaceAll("&quot;", '"').replaceAll("&amp;", "&"))).toEqual(states[name])
    return textOf(html)
  })
  expect(new Set(texts).size).toBe(languageCodes.length)
})

/** Every text of a language by its path. Functions are called with a placeholder. */
function textsIn(value: unknown, path = ""): [string, string][] {
  if (typeof value === "function") return [[path, String(value("«x»"))]]
  if (typeof value === "string") return [[path, value]]
  return Object.entries(value as object).flatMap(([name, one]) => textsIn(one, `${path}.${name}`))
}

test.each(languageCodes)("no text of %s is empty, and each contains its placeholders", (language) => {
  const english = new Map(textsIn(textsByLanguage.en))
  const own = textsIn(textsByLanguage[language])
  expect(own.map(([path]) => path).sort()).toEqual([...english.keys()].sort())
  const placeholders = (text: string) => [...new Set(text.match(/«x»|\{.*?\}/g))].sort()
  for (const [path, text] of own) {
    expect(text.trim(), path).not.toBe("")
    expect(placeholders(text), `${path}: ${text}`).toEqual(placeholders(english.get(path)!))
  }
})

test("a page contains the texts of one language only", () => {
  for (const language of languageCodes) {
    const own = textsIn(textsByLanguage[language]).map(([, text]) => text)
    const foreign = languageCodes
      .filter((other) => other !== language)
      .flatMap((other) => {
        const { steps, needsScript, lost, open, wallet, rejected, failed } = textsByLanguage[other]
        return [steps.label, needsScript, lost, open.agree, wallet.heading, rejected.heading, failed.heading]
      })
      .filter((text) => !own.some((one) => one.includes(text)))
    expect(foreign.length).toBeGreaterThan(30)
    for (const [name, shown] of Object.entries(states)) {
      const html = page(shown, language)
      expect(
        foreign.filter((text) => html.includes(text)),
        `${language} ${name}`,
      ).toEqual([])
    }
  }
})

test.each(languageCodes.filter((code) => code !== "en"))(
  "%s is translated: hardly any text equals the English one",
  (language) => {
    const english = new Map(textsIn(textsByLanguage.en))
    const same = textsIn(textsByLanguage[language]).filter(([path, text]) => english.get(path) === text)
    // Some words are the same in several languages, such as "wallet".
    expect(same.length, JSON.stringify(same)).toBeLessThan(8)
  },
)

test("no language promises how long a vendor takes", () => {
  for (const language of languageCodes) {
    for (const [path, text] of textsIn(textsByLanguage[language])) {
      expect(text, path).not.toMatch(/minute|minuto|Minute|second|segundo|Sekunde|分|دقيق|دقائق|ثاني|ثوان|ساع/)
    }
  }
})

test("each reason for a rejection has its own sentences", () => {
  for (const language of languageCodes) {
    const { reasons } = textsByLanguage[language]
    expect(new Set(publicReasons.map((reason) => reasons[reason].why)).size).toBe(publicReasons.length)
    for (const { why, next } of Object.values(reasons)) {
      for (const text of [why, next]) expect(text).toMatch(/[.。]$/)
    }
  }
})

test("in each language, every state fits into 20 kB", () => {
  for (const language of languageCodes)
    for (const [name, shown] of Object.entries(states))
      expect(gzipSync(page(shown, language)).length, `${language} ${name}`).toBeLessThan(20_000)
})

test("entered text is escaped everywhere", () => {
  const nasty = `"><script>alert('x')</script>`
  const schema = { id: "custom_v1", name: nasty, validityDays: 1 }
  for (const shown of Object.values(states)) {
    if (shown.state === "unknown" || shown.state === "failed") continue
    const html = page({ ...shown, company: nasty, schema, provider: { ...shown.provider, label: nasty } })
    expect(html).not.toContain("<script>alert")
    expect(html.match(/<script/g)).toHaveLength(1)
  }
})

/** The body's text, without elements that have their own direction. */
const mixedTextOf = (html: string) =>
  textOf(
    html
      .replace(/<head>.*?<\/head>/gs, "")
      .replace(/<(\w+)[^>]* dir="[^"]*"[^>]*>.*?<\/\1>/gs, "")
      .replace(/<bdi>.*?<\/bdi>/gs, ""),
  )

test("names, addresses and links keep their own direction in any sentence", () => {
  for (const shown of Object.values(states)) {
    if (shown.state === "unknown" || shown.state === "failed") continue
    const brand = { ...shown.brand, contact: "https://acme.example/help" }
    const provider = { ...shown.provider, label: "Example ID!" }
    const schema = { ...shown.schema, name: "Gold investors" }
    const html = page({ ...shown, brand, provider, schema, company: "شركة النور", returnUrl: "https://shop.example" })
    for (const part of [
      "شركة النور",
      "Example ID!",
      "Gold investors",
      "acme.example",
      "shop.example",
      shown.wallet.slice(0, 8),
    ])
      expect(mixedTextOf(html.replace(/<html[^>]*>/, "")), shown.state).not.toContain(part)
  }
})

test("Arabic counts days in six forms, with the digits of the rest of the page", () => {
  const { days } = wordsIn("ar")
  expect([0, 1, 2, 3, 11, 100].map(days)).toEqual(["0 يوم", "يوم", "يومان", "3 أيام", "11 يومًا", "100 يوم"])
  for (const [name, shown] of Object.entries(states)) expect(page(shown, "ar"), name).not.toMatch(/[٠-٩۰-۹]/)
})

test("an error message shows names as they were written", () => {
  const renewal = { ...states.renewal, company: "Smith & Sons" } as Shown
  const [, failures] = /data-failures="([^"]*)"/.exec(page(renewal))!
  expect(JSON.parse(failures!.replaceAll("&quot;", '"').replaceAll("&amp;", "&")).other).toContain("ask Smith & Sons.")
})

test("a recent outcome is announced and returns automatically; an old one does neither", () => {
  const news = (name: string) => /id="news">([^<]*)</.exec(page(states[name]!))![1]
  expect(news("open")).toBe("")
  for (const name of ["again resubmit", "handedOver", "checking", "verified", "rejected pending", "expired open"]) {
    expect(news(name), name).not.toBe("")
  }
  const returnUrl = "https://shop.example/"
  const returns = (name: string) =>
    page({ ...(states[name] as Exclude<SessionView, { state: "unknown" }>), returnUrl }).includes('class="staying"')
  expect(["verified", "rejected pending", "rejected cancelled", "expired open"].map(returns)).toEqual(
    Array(4).fill(true),
  )
  expect(["rejected verified", "expired verified", "expired superseded"].map(returns)).toEqual(Array(3).fill(false))
})

test("a renamed schema shows the company's name for it", () => {
  const open = states.open as Extract<SessionView, { state: "open" }>
  const named = (name: string) => textOf(page({ ...open, schema: { ...open.schema, name } }, "de"))
  expect(named("Individual identity")).toContain("Identität (Privatperson)")
  expect(named("Gold investors")).toContain("Gold investors")
})

test("the wallet step has a QR code of the page's address, labeled in the reader's language", () => {
  const names = languageCodes.map((language) => {
    const html = page(states.wallet!, language)
    const { code } = textsByLanguage[language].wallet
    expect(html).toContain(`<template>${qrCode(ADDRESS, code).text}</template>`)
    return code
  })
  expect(new Set(names).size).toBe(languageCodes.length)
  for (const name of ["open", "form", "afterWallet", "checking", "verified", "unknown"])
    expect(page(states[name]!)).not.toContain('class="qr"')
})

test("the page says what a vendor keeps, if a vendor checks", () => {
  const said = (name: string) => textOf(page(states[name]!))
  expect(said("open")).toContain("At Example ID: what you submit there, under its own privacy policy.")
  expect(said("beforeWallet")).toContain("At Example ID:")
  expect(said("form")).not.toContain("privacy policy")
})

test("the steps are shown, unless the session ended before its result", () => {
  const shows = (name: string) => page(states[name]!).includes('class="steps"')
  expect(["open", "checking", "verified", "rejected pending", "expired verified"].map(shows)).toEqual(
    Array(5).fill(true),
  )
  expect(["expired open", "rejected cancelled", "unknown"].map(shows)).toEqual(Array(3).fill(false))
})

test("each page has exactly one script, with the nonce of its response", () => {
  for (const shown of Object.values(states)) {
    const html = page(shown)
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script nonce="n0nce">'])
    expect(html).not.toMatch(/\son\w+=|javascript:/)
  }
})

test("the title names the state and the company in the reader's language", () => {
  const title = (name: string) => /<title>([^<]*)</.exec(page(states[name]!, "de"))![1]
  expect(title("open")).toBe("Bestätigen Sie Ihre Identität · Acme · Vouch")
  expect(title("unknown")).toBe("Verifizierung nicht gefunden · Vouch")
  expect(title("failed")).toBe("Diese Seite konnte nicht geladen werden · Vouch")
})

test("a rejection says what to do better if that helps; a revocation does not", () => {
  const { documents_unreadable, not_eligible } = textsByLanguage.en.reasons
  const ended = (was: string, reason: string) => textOf(page({ ...states[`rejected ${was}`], reason } as Shown))
  expect(ended("pending", "documents_unreadable")).toContain(documents_unreadable.next)
  expect(ended("pending", "not_eligible")).not.toContain(not_eligible.next)
  expect(ended("verified", "documents_unreadable")).not.toContain(documents_unreadable.next)
})
