import { Html, html } from "#server/lib/html.ts"
import { type ClaimName, claimNames } from "#shared/claims.ts"
import type { Language } from "#shared/languages.ts"
import { timeFormat } from "#shared/time-format.ts"
import { countriesFor } from "./countries.ts"
import { textsByLanguage } from "./texts/by-language.ts"
import type { Texts } from "./texts/texts.ts"

/** How a reader of a language is spoken to: the texts, and how numbers, times and lists are written. */
export type Words = Texts & {
  code: Language
  /** The locale of times, for the page's script too. */
  locale: string
  days: (count: number) => string
  time: (at: string) => Html
  /** What is asked for, in words: "Country, over 18, accredited". */
  claimed: string
  /** An `<option>` for every country. */
  countryOptions: Html
}

/** Times are written as on the dashboard, with the day first. */
const locales: Partial<Record<Language, string>> = { en: "en-GB" }

function wordsOf(code: Language): Words {
  const texts: Texts = textsByLanguage[code]
  const locale = locales[code] ?? code
  const days = new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" })
  // The server does not know the reader's zone: it says UTC, and the page's script puts it into theirs.
  const times = new Intl.DateTimeFormat(locale, { ...timeFormat, timeZone: "UTC" })
  const options = countriesFor(code).map(({ code, name }) => html`<option value="${code}">${name}</option>`)
  return {
    ...texts,
    code,
    locale,
    days: (count) => days.format(count),
    time: (at) =>
      html`<time datetime="${at}" title="${at.replace("T", " ").replace("Z", " UTC")}">${times.format(new Date(at))}</time>`,
    claimed: listOf(
      locale,
      claimNames.map((name: ClaimName) => texts.claims[name]),
    ),
    countryOptions: new Html(options.join("")),
  }
}

function listOf(locale: string, items: string[]): string {
  const list = new Intl.ListFormat(locale, { type: "conjunction" }).format(items)
  return list.charAt(0).toLocaleUpperCase(locale) + list.slice(1)
}

const known = new Map<Language, Words>()

/** Made once each: the names of all countries take a while. */
export function wordsIn(language: Language): Words {
  const words = known.get(language) ?? wordsOf(language)
  known.set(language, words)
  return words
}
