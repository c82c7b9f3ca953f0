type Detail = { name: string; text: string }

/** An entry's detail as text: for a change, the changed values. */
export function detailsOf(detail: Record<string, unknown>): Detail[] {
  const { before, after, ...others } = detail
  const changed =
    isObject(before) && isObject(after)
      ? [...new Set([...Object.keys(before), ...Object.keys(after)])]
          .filter((name) => textOf(before[name]) !== textOf(after[name]))
          .map((name) => ({ name, text: `${textOf(before[name])} → ${textOf(after[name])}` }))
      : []
  const said = Object.entries(others).map(([name, value]) => ({ name, text: textOf(value) }))
  return [...changed, ...said].map(({ name, text }) => ({ name: name.replaceAll("_", " "), text }))
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "none"
  if (Array.isArray(value)) return value.map(textOf).join(", ") || "none"
  if (isObject(value)) {
    const parts = Object.entries(value).map(([name, one]) => `${name.replaceAll("_", " ")} ${textOf(one)}`)
    return parts.join(", ") || "none"
  }
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
