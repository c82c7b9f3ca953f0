/** The languages of the hosted page: ISO 639-1 code → the language's own name. */
export const languages = {
  en: "English",
  es: "Español",
  de: "Deutsch",
  fr: "Français",
  pt: "Português",
  ja: "日本語",
  ar: "العربية",
} as const

export type Language = keyof typeof languages

export const languageCodes = Object.keys(languages) as Language[]

export const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)

/** In which direction a page in the language is read. */
export const directionOf = (language: Language): "ltr" | "rtl" => (language === "ar" ? "rtl" : "ltr")

const locales: Partial<Record<Language, string>> = {
  /** The day before the month, as on the dashboard. */
  en: "en-GB",
  /**
   * Gregorian dates and European digits. Otherwise `Intl` chooses by region and version: Arabic-Indic digits for Egypt
   * and Saudi Arabia, European ones for Morocco. Everyone reads these, and addresses and signatures have no others.
   */
  ar: "ar-u-ca-gregory-nu-latn",
}

/** The locale for dates and numbers in the language. */
export const localeOf = (language: Language): string => locales[language] ?? language

const MAX_RANGES = 20

/** The language that a browser prefers by `Accept-Language` (RFC 9110, 12.5.4); English if none fits. */
export function preferredLanguage(accepted: string | undefined): Language {
  const ranges = (accepted ?? "").split(",", MAX_RANGES).map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim())
    const quality = parameters.find((one) => one.startsWith("q="))?.slice(2)
    const weight = quality === undefined ? 1 : /^(?:0|1|0?\.\d+|1\.0+)$/.test(quality) ? Number(quality) : 0
    return { code: tag.split("-", 1)[0]!.toLowerCase(), weight }
  })
  const wanted = ranges.filter(({ code, weight }) => weight > 0 && isLanguage(code))
  // The sort is stable: of two equally preferred, the first wins.
  wanted.sort((one, other) => other.weight - one.weight)
  return (wanted[0]?.code as Language | undefined) ?? "en"
}
