import { alpha2Of } from "#shared/alpha3.ts"
import type { Claims } from "#shared/claims.ts"
import { isCountry } from "#shared/countries.ts"

const MOST_CHARACTERS = 40

/**
 * Codes on passports, and from vendors that copy them, that are not in ISO 3166-1: ICAO Doc 9303, part 3, section 5.
 * British passports have several codes, one for each kind of nationality. The United Kingdom issues all of them.
 */
const countries: ReadonlyMap<string, string> = new Map([
  ["D", "DE"],
  ...["GBD", "GBN", "GBO", "GBP", "GBS"].map((code) => [code, "GB"] as const),
  // Kosovo: the code on its passports, common abbreviations, and the code on UN travel documents of its residents.
  ...["RKS", "XKX", "XKK", "UNK"].map((code) => [code, "XK"] as const),
])

/** Issued by organisations, or to stateless people and refugees. */
const withoutCountry = new Set("EUE UNA UNO XBA XCC XCE XCO XDC XEC XES XIM XMP XOM XPO XXA XXB XXC XXX".split(" "))

/** Whether a passport can have the code, although no country does. */
export const isWithoutCountry = (code: string): boolean => withoutCountry.has(code)

/** An ISO 3166-1 or passport code, as alpha-2; undefined if it is not of a country. */
export function countryOf(code: string | null | undefined): string | undefined {
  // Machine-readable zones pad codes with `<`.
  const upper = code?.trim().replace(/<+$/, "").toUpperCase() ?? ""
  if (isCountry(upper)) return upper
  return alpha2Of(upper) ?? countries.get(upper)
}

/**
 * The country claim from a vendor's codes, given in order of preference. A code that is not of a country is kept for
 * members to see: rules refuse such a person, but a member can enter the country.
 */
export function countryFrom(...codes: (string | null | undefined)[]): Pick<Claims, "country" | "unknown_country"> {
  for (const code of codes) {
    const country = countryOf(code)
    if (country !== undefined) return { country }
  }
  const given = codes.map((code) => code?.replace(/[^\p{L}\p{N} .'()-]/gu, "").trim())
  const unknown_country = given.find((code) => code)?.slice(0, MOST_CHARACTERS)
  return unknown_country === undefined ? {} : { unknown_country }
}

/** Whether a person born on a day (`YYYY-MM-DD`) is at least 18 now, in UTC; undefined if the day does not exist. */
export function isOver18(born: string | null | undefined, now: Date): boolean | undefined {
  const [, year, monthAndDay] = /^(\d{4})-(\d{2}-\d{2})$/.exec(born ?? "") ?? []
  const day = new Date(`${born}T00:00:00Z`)
  if (year === undefined || Number.isNaN(day.getTime())) return undefined
  // JavaScript reads 30 February as 2 March.
  if (day.toISOString().slice(0, 10) !== born) return undefined
  // ISO dates compare as text. A person born on 29 February comes of age on 1 March.
  return `${Number(year) + 18}-${monthAndDay}` <= now.toISOString().slice(0, 10)
}
