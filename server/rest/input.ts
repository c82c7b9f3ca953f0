import { type Json, JsonNumber, type JsonObject, plainJson } from "#server/lib/json.ts"
import { didYouMean } from "#server/lib/nearest.ts"
import { quoted } from "#server/lib/text.ts"
import { fail } from "#shared/errors.ts"
import type { Route } from "./routes.ts"

type Fields = { [field: string]: unknown }

/** Decodes path parameters. Errors: malformed_request. */
export function readParameters(route: Route, raw: readonly string[]): Fields {
  const input: Fields = Object.create(null)
  route.parameters.forEach((name, i) => {
    input[name] = decode(raw[i]!, `path parameter ${name}`)
  })
  return input
}

/** Adds the query's parameters. Errors: malformed_request; validation_failed for unknown and repeated ones. */
export function addQuery(input: Fields, route: Route, query: string): void {
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), "query")
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1), `query parameter ${name}`)
    if (name === "") fail("validation_failed", "query: a parameter has no name. Remove it.")
    if (!route.fields.has(name) || route.parameters.includes(name)) {
      fail("validation_failed", `${quoted(name)}: unknown query parameter.${suggestion(route, name)}`)
    }
    if (name in input) fail("validation_failed", `${name}: send this parameter once.`)
    input[name] = route.numbers.has(name) && /^(?:0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : value
  }
}

/** Adds the body's fields. Errors: validation_failed for unknown ones and for those that the path gives. */
export function addBody(input: Fields, route: Route, body: JsonObject): void {
  for (const [name, value] of Object.entries(body)) {
    if (!route.fields.has(name) || route.parameters.includes(name)) {
      fail("validation_failed", `${quoted(name)}: unknown field.${suggestion(route, name)}`)
    }
    input[name] = name === "amount" ? amountOf(value) : plainJson(value)
  }
}

/** An amount keeps the digits that it was sent with: a double cannot hold all of them. */
const amountOf = (value: Json): unknown =>
  typeof value === "number" ? String(value) : value instanceof JsonNumber ? value.source : plainJson(value)

/** What the caller may have meant, or else all that there is to send. */
function suggestion({ fields, parameters }: Route, name: string): string {
  const known = [...fields].filter((field) => !parameters.includes(field))
  return didYouMean(name, known) || (known.length > 0 ? ` Allowed: ${known.join(", ")}.` : "")
}

function decode(text: string, where: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(where.startsWith("path") ? text : text.replaceAll("+", " "))
  } catch (cause) {
    return fail("malformed_request", `The ${quoted(where)} cannot be decoded: percent-encode it as UTF-8.`, {
      cause,
    })
  }
}
