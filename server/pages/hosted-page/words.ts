import { Html, html } from "#server/lib/html.ts"
import { type ClaimName, claimNames } from "#shared/claims.ts"
import { type Language, localeOf } from "#shared/languages.ts"
import { timeFormat } from "#shared/time-format.ts"
import { countriesFor } from "./countries.ts"
import { textsByLanguage } from "./texts/by-language.ts"
import type { Texts } from "./texts/texts.ts"

/** The texts of a language, with its formats for numbers, times and lists. */
export type Words = Texts & {
  code: Language
  /** The locale for times. The page's script uses it too. */
  locale: string
  days: (count: number) => string
  time: (at: string) => Html
  /** The requested facts in words, such as "Country, over 18 and accredited". */
  claimed: string
  /** An `<option>` for every country. */
  countryOptions: Html
}

function wordsOf(code: Language): Words {
  const texts: Texts = textsByLanguage[code]
  const locale = localeOf(code)
  const days = new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" })
  // The server does not know the reader's time zone. It writes UTC, and the page's script converts it.
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

/** Cached per language: naming all countries is slow. */
export function wordsIn(language: Language): Words {
  const words = known.get(language) ?? wordsOf(language)
  known.set(language, words)
  return words
}
