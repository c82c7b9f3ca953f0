import { countryName } from "./countries.ts"

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
 * Both are from its statements of 19 June 2026; it reviews them in February, June and October.
 * https://www.fatf-gafi.org/en/countries/black-and-grey-lists.html
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
