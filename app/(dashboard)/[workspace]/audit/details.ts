type Detail = { name: string; words: string }

/** What a line says besides, in words: of a change, what is different now. */
export function detailsOf(detail: Record<string, unknown>): Detail[] {
  const { before, after, ...others } = detail
  const changed =
    isObject(before) && isObject(after)
      ? [...new Set([...Object.keys(before), ...Object.keys(after)])]
          .filter((name) => wordsOf(before[name]) !== wordsOf(after[name]))
          .map((name) => ({ name, words: `${wordsOf(before[name])} → ${wordsOf(after[name])}` }))
      : []
  const said = Object.entries(others).map(([name, value]) => ({ name, words: wordsOf(value) }))
  return [...changed, ...said].map(({ name, words }) => ({ name: name.replaceAll("_", " "), words }))
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return "none"
  if (Array.isArray(value)) return value.map(wordsOf).join(", ") || "none"
  if (isObject(value)) {
    const parts = Object.entries(value).map(([name, one]) => `${name.replaceAll("_", " ")} ${wordsOf(one)}`)
    return parts.join(", ") || "none"
  }
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
