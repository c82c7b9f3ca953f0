import { countryName, countryNames, isCountry } from "./countries.ts"

const EU = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"

/** `isRisk`: a list to keep out, which no one would admit alone. */
type CountryList = { name: string; codes: readonly string[]; isRisk: boolean }

const list = (name: string, codes: string, isRisk: boolean): CountryList => ({
  ...{ name, isRisk },
  codes: codes.split(" ").sort(),
})

const unions = [
  list("EEA", `${EU} IS LI NO`, false),
  // https://european-union.europa.eu/principles-countries-history/eu-countries_en
  list("EU", EU, false),
]

/**
 * Lists that many rules are about. The FATF calls its black list *call for action* and its grey list *increased monitoring*.
 * Both are from its statements of 19 June 2026; it reviews them in February, June and October. https://www.fatf-gafi.org/en/countries/black-and-grey-lists.html
 */
export const countryLists: readonly CountryList[] = [
  ...unions.toReversed(),
  list("FATF black list, June 2026", "IR KP MM", true),
  list("FATF grey list, June 2026", "AO BA BG BO CD CI CM HT IQ KE KW LA LB MC NP PG SS SY VE VG VN YE", true),
]

/** Names of countries for people, such as `the EU, Norway`. A union stands for its members. */
export function nameCountries(codes: readonly string[]): string {
  const names: string[] = []
  let rest = codes
  for (const union of unions) {
    if (!union.codes.every((code) => rest.includes(code))) continue
    names.push(`the ${union.name}`)
    rest = rest.filter((code) => !union.codes.includes(code))
  }
  return [...names, ...rest.map(countryName)].join(", ")
}

const codeOf = new Map(countryNames("en").map(({ code, name }) => [name.toLowerCase(), code]))

/**
 * The countries in a text that someone typed or pasted: codes and English names between commas, semicolons or line breaks,
 * or codes between spaces. `unknown` is what is none.
 */
export function countriesIn(text: string): { codes: string[]; unknown: string[] } {
  const codes = new Set<string>()
  const unknown: string[] = []
  for (const part of text.split(/[,;\n\t]/).flatMap(words)) {
    const code = read(part)
    if (code === null) unknown.push(part)
    else codes.add(code)
  }
  return { codes: [...codes], unknown }
}

function words(text: string): string[] {
  const part = text.trim()
  if (part === "") return []
  const split = part.split(/\s+/)
  return read(part) === null && split.every((word) => read(word) !== null) ? split : [part]
}

/** `DE`, `Germany` or `Germany (DE)`. */
function read(part: string): string | null {
  const [, inside] = /\(([A-Za-z]{2})\)$/.exec(part) ?? []
  const code = (inside ?? part).toUpperCase()
  return isCountry(code) ? code : (codeOf.get(part.toLowerCase()) ?? null)
}
