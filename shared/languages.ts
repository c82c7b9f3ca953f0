/** The languages of the hosted page: ISO 639-1 code → the language's own name. */
export const languages = {
  en: "English",
  es: "Español",
  de: "Deutsch",
  fr: "Français",
  pt: "Português",
  ja: "日本語",
} as const

export type Language = keyof typeof languages

export const languageCodes = Object.keys(languages) as Language[]

export const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)

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
