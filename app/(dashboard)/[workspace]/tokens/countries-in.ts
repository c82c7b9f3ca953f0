import { countryNames, isCountry } from "#shared/countries.ts"

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

/** `DE`, `Germany` or `Germany (DE)`. Null for a known name with the code of another country. */
function read(part: string): string | null {
  const [, name, inside] = /^(.*\S)\s*\(([A-Za-z]{2})\)$/.exec(part) ?? []
  const code = (inside ?? part).toUpperCase()
  const named = codeOf.get((name ?? part).toLowerCase()) ?? null
  if (!isCountry(code)) return inside === undefined ? named : null
  return named === null || named === code ? code : null
}
