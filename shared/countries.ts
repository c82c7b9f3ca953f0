/** ISO 3166-1's alpha-2 codes, and XK for Kosovo, which vendors, banks and the European Union use. */
const codes = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`

const countries: ReadonlySet<string> = new Set(codes.trim().split(/\s+/))

/** Shorter names for regions whose full names begin with their country's, where readers would not look for them. */
const shortNamed: ReadonlySet<string> = new Set(["HK", "MO"])

/** All countries with their names in a language, in alphabetical order. */
export function countryNames(language: string): { code: string; name: string }[] {
  const names = new Intl.DisplayNames(language, { type: "region" })
  const shortNames = new Intl.DisplayNames(language, { type: "region", style: "short" })
  const { compare } = new Intl.Collator(language)
  return [...countries]
    .map((code) => ({ code, name: (shortNamed.has(code) ? shortNames : names).of(code) ?? code }))
    .sort((one, other) => compare(one.name, other.name))
}

/** Whether the rules leave any country allowed. */
export const admitsAny = (allowed: readonly string[] | undefined, blocked: readonly string[] = []): boolean =>
  (allowed ?? [...countries]).some((country) => !blocked.includes(country))

const englishNames = new Intl.DisplayNames("en", { type: "region" })

export const countryName = (code: string): string => englishNames.of(code) ?? code

export const isCountry = (code: string): boolean => countries.has(code)
