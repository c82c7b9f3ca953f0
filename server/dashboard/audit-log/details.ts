import { ruleFields } from "#shared/rules/fields.ts"

type Detail = { name: string; text: string }

/** An entry's detail as text: for a change, the changed values. */
export function detailsOf(detail: Record<string, unknown>): Detail[] {
  const { before, after, ...others } = detail
  const changed = isObject(before) && isObject(after) ? changesOf(withRules(before), withRules(after)) : []
  const said = Object.entries(withRules(others)).map(([name, value]) => ({ name, text: textOf(value) }))
  return [...changed, ...said].map(({ name, text }) => ({ name: labelOf(name), text }))
}

const changesOf = (before: Record<string, unknown>, after: Record<string, unknown>): Detail[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => textOf(before[name]) !== textOf(after[name]))
    .map((name) => ({ name, text: `${textOf(before[name])} → ${textOf(after[name])}` }))

/** A token's rules, listed next to its other fields. */
const withRules = ({ rules, ...others }: Record<string, unknown>) =>
  isObject(rules) ? { ...others, ...rules } : others

/** The name of a field; a rule has the name from its form. */
const labelOf = (name: string): string =>
  ruleFields.find((field) => field.name === name)?.label ?? name.replaceAll("_", " ")

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
