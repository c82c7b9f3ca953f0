import { alpha2Of } from "#shared/alpha3.ts"
import { countryName, countryNames, isCountry } from "#shared/countries.ts"

/**
 * Other names in common lists: those of ISO 3166-1 that differ from the browser's, abbreviations, former names, and those
 * of the FATF's statements. Order, accents, signs, capitals and words such as "the" do not matter.
 */
const otherNames: Readonly<Record<string, string>> = {
  AE: "UAE",
  AR: "Argentine Republic",
  AX: "Åland",
  BN: "Brunei Darussalam",
  BO: "Plurinational State of Bolivia",
  BQ: "Bonaire, Sint Eustatius and Saba",
  CD: "Democratic Republic of the Congo | DRC | DR Congo | Congo-Kinshasa | Democratic Congo",
  CG: "Congo | Republic of the Congo | Congo-Brazzaville",
  CH: "Swiss Confederation",
  CI: "Ivory Coast",
  CN: "People's Republic of China | PRC",
  CV: "Cabo Verde",
  CZ: "Czech Republic",
  EG: "Arab Republic of Egypt",
  ER: "State of Eritrea",
  FK: "Falkland Islands (Malvinas)",
  FM: "Federated States of Micronesia",
  FR: "French Republic",
  GA: "Gabonese Republic",
  GB: "UK | Great Britain | United Kingdom of Great Britain and Northern Ireland",
  GR: "Hellenic Republic",
  HK: "Hong Kong Special Administrative Region of China | Hong Kong, China",
  HM: "Heard Island and McDonald Islands",
  IL: "State of Israel",
  IT: "Italian Republic",
  KG: "Kyrgyz Republic",
  KP: "Democratic People's Republic of Korea | DPRK | DPR Korea",
  KR: "Republic of Korea",
  KW: "State of Kuwait",
  LA: "Lao People's Democratic Republic | Lao PDR",
  LB: "Lebanese Republic",
  MF: "Saint Martin (French part)",
  MK: "Macedonia",
  MM: "Myanmar | Burma",
  MO: "Macao Special Administrative Region of China | Macao, China | Macau",
  MX: "United Mexican States",
  NL: "Holland",
  PG: "Independent State of Papua New Guinea",
  PN: "Pitcairn",
  PS: "Palestine | State of Palestine",
  PT: "Portuguese Republic",
  QA: "State of Qatar",
  RU: "Russian Federation",
  RW: "Rwandese Republic",
  SH: "Saint Helena, Ascension and Tristan da Cunha",
  SK: "Slovak Republic",
  SX: "Sint Maarten (Dutch part)",
  SY: "Syrian Arab Republic",
  SZ: "Swaziland",
  TG: "Togolese Republic",
  TL: "East Timor",
  TR: "Turkey",
  TW: "Taiwan, Province of China",
  UM: "United States Minor Outlying Islands",
  US: "United States of America",
  UY: "Eastern Republic of Uruguay",
  VA: "Holy See | Vatican | Holy See (Vatican City State)",
  VG: "Virgin Islands (UK) | Virgin Islands (British)",
  VI: "Virgin Islands of the United States",
  VN: "Viet Nam",
  WS: "Independent State of Samoa",
}

/** Words that a full name adds to a short one: `Bolivia, Plurinational State of`, `Grand Duchy of Luxembourg`. */
const titles = new Set(
  `republic kingdom islamic federal federative democratic peoples socialist plurinational bolivarian commonwealth
  principality sultanate grand duchy hashemite union united`.split(/\s+/),
)
/** Short names of which titles tell two countries apart. */
const divided: ReadonlySet<string> = new Set(["china", "congo", "korea"])

/** The words of a name in alphabetical order, so that `Korea, Republic of` is `Republic of Korea`. */
function keyOf(name: string, isLeftOut: (word: string) => boolean = () => false): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}|['’‘`´]/gu, "")
    .toLowerCase()
    .replace(/\bst\./g, "st ")
    .replaceAll(".", "")
    .split(/[^a-z]+/)
    .map((word) => (word === "saint" ? "st" : word))
    .filter((word) => !["", "and", "the", "of"].includes(word) && !isLeftOut(word))
    .sort()
    .join(" ")
}

const codeOf = new Map([
  ...Object.entries(otherNames).flatMap(([code, names]) =>
    names.split(" | ").map((name) => [keyOf(name), code] as const),
  ),
  ...countryNames("en").flatMap(({ code, name }) =>
    [name, countryName(code)].map((one) => [keyOf(one), code] as const),
  ),
])

/**
 * The countries in a text that someone typed or pasted: codes of two or three letters and English names between commas,
 * semicolons, line breaks or "and", or codes between spaces. `unknown` is what is none.
 */
export function countriesIn(text: string): { codes: string[]; unknown: string[] } {
  const codes = new Set<string>()
  const unknown: string[] = []
  for (const part of text
    .split(/[;\n\t]/)
    .flatMap(partsOf)
    .flatMap(words)) {
    const code = read(part)
    if (code === null) unknown.push(part)
    else codes.add(code)
  }
  return { codes: [...codes], unknown }
}

/** Quotes, brackets and space around a name. */
const EDGES = /^[\s"'“”„«»[\]\u200b]+|[\s"'“”„«»[\]\u200b]+$/g

/** What is between commas, except for names with commas: `Korea, Republic of`. */
function partsOf(line: string): string[] {
  const cells = line.split(",").map((cell) => cell.replace(EDGES, ""))
  const parts: string[] = []
  for (let i = 0; i < cells.length; i++) {
    const [cell, next] = [cells[i]!, cells[i + 1]]
    const both = `${cell}, ${next}`
    const isOneName = next !== undefined && cell !== "" && named(next) === null && named(both) !== null
    parts.push(isOneName ? both : cell)
    if (isOneName) i++
  }
  return parts
}

/** `Germany and France`, `DE FR`. A text that is not a list is one part, and so is a list with an unknown word. */
function words(part: string): string[] {
  if (part === "" || read(part) !== null) return part === "" ? [] : [part]
  const split = part.split(/\s+/)
  // Between alpha-3 codes, AND is Andorra.
  const names = split.every(isAlpha3) ? [] : part.split(/\s+(?:and|&)\s+/i)
  const listed = names.length > 1 ? names.flatMap(words) : split
  // `are` belongs to a sentence or is the code of the Emirates: next to names, codes have capitals.
  const areCodes = split.every((word) => word.length <= 3)
  const isCountry = (word: string) =>
    read(word) !== null && (names.length > 1 || areCodes || word.length > 3 || word === word.toUpperCase())
  return listed.every(isCountry) ? listed : [part]
}

const isAlpha3 = (word: string): boolean => /^[A-Z]{3}$/.test(word)

/** `DE`, `DEU`, `Germany` or `Germany (DE)`. Null for a known name with the code of another country. */
function read(part: string): string | null {
  const whole = coded(part) ?? named(part)
  if (whole !== null) return whole
  const [, name, inside] = /^(.*\S)\s*\(([A-Za-z]{2,3})\)$/.exec(part) ?? []
  if (name === undefined || inside === undefined) return null
  const code = coded(inside)
  const other = named(name)
  return other === null || other === code ? code : null
}

function coded(text: string): string | null {
  const code = text.replaceAll(".", "").toUpperCase()
  return isCountry(code) ? code : (alpha2Of(code) ?? null)
}

function named(text: string): string | null {
  const whole = codeOf.get(keyOf(text))
  if (whole !== undefined) return whole
  const short = keyOf(text, (word) => titles.has(word))
  return divided.has(short) ? null : (codeOf.get(short) ?? null)
}
