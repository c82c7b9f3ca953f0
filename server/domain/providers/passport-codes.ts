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

/** The country of a passport's code; null if the code is not of a country, undefined if it is not a known code. */
export const countryOfPassport = (code: string): string | null | undefined =>
  withoutCountry.has(code) ? null : countries.get(code)
