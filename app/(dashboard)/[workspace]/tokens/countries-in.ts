import { countryNames, isCountry } from "#shared/countries.ts"

/** Other names in common lists: abbreviations, former names, and those of the FATF's statements. */
const otherNames: readonly [name: string, code: string][] = [
  ["UK", "GB"],
  ["Great Britain", "GB"],
  ["USA", "US"],
  ["United States of America", "US"],
  ["UAE", "AE"],
  ["Czech Republic", "CZ"],
  ["Turkey", "TR"],
  ["Myanmar", "MM"],
  ["Burma", "MM"],
  ["Russian Federation", "RU"],
  ["Republic of Korea", "KR"],
  ["Democratic People's Republic of Korea", "KP"],
  ["DPRK", "KP"],
  ["Ivory Coast", "CI"],
  ["Côte d'Ivoire", "CI"],
  ["Democratic Republic of the Congo", "CD"],
  ["Democratic Republic of Congo", "CD"],
  ["Lao PDR", "LA"],
  ["Syrian Arab Republic", "SY"],
  ["Viet Nam", "VN"],
  ["Virgin Islands (UK)", "VG"],
]
const codeOf = new Map([
  ...otherNames.map(([name, code]) => [name.toLowerCase(), code] as const),
  ...countryNames("en").map(({ code, name }) => [name.toLowerCase(), code] as const),
])

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

/** `DE`, `Germany` or `Germany (DE)`. Null for a known name with the code of another country. */
function read(part: string): string | null {
  const whole = codeOf.get(part.toLowerCase().replaceAll("’", "'")) ?? codeOf.get(part.toLowerCase())
  if (whole !== undefined) return whole
  const [, name, inside] = /^(.*\S)\s*\(([A-Za-z]{2})\)$/.exec(part) ?? []
  const code = (inside ?? part).toUpperCase()
  const named = codeOf.get((name ?? part).toLowerCase()) ?? null
  if (!isCountry(code)) return inside === undefined ? named : null
  return named === null || named === code ? code : null
}
