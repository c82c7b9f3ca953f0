/**
 * Codes of passports, and of vendors that copy them, which are not in ISO 3166-1: ICAO Doc 9303, part 3, section 5. Those of
 * British passports tell kinds of nationality apart, and all are issued by the United Kingdom.
 */
const countries: ReadonlyMap<string, string> = new Map([
  ["D", "DE"],
  ...["GBD", "GBN", "GBO", "GBP", "GBS"].map((code) => [code, "GB"] as const),
  // Kosovo: on its passports, as others abbreviate it, and on papers that the United Nations issued to its residents.
  ...["RKS", "XKX", "XKK", "UNK"].map((code) => [code, "XK"] as const),
])

/** Issued by organisations, or to people whom no country calls its own. */
const withoutCountry = new Set(
  "EUE UNA UNO XBA XCC XCE XCO XDC XEC XES XIM XMP XOM XPO XXA XXB XXC XXX".split(" "),
)

/** The country that a passport's code stands for; null if it stands for none, undefined if it is no such code. */
export const countryOfPassport = (code: string): string | null | undefined =>
  withoutCountry.has(code) ? null : countries.get(code)
