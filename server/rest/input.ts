import type { z } from "zod"
import { didYouMean } from "#server/lib/did-you-mean.ts"
import { type Json, JsonNumber, type JsonObject, plainJson } from "#server/lib/json.ts"
import { quoted } from "#server/lib/text.ts"
import { type FieldError, failureOfFields, fieldErrorOf, MOST_NAMED, sentenceOf } from "#server/lib/validation.ts"
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

/** Adds the query parameters. Errors: malformed_request; validation_failed for unknown and repeated ones. */
export function addQuery(input: Fields, route: Route, query: string): void {
  const wrong: FieldError[] = []
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), "query")
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1), `query parameter ${name}`)
    if (name === "") wrong.push(refusal("query", "a parameter has no name. Remove it."))
    else if (!isSent(route, name))
      wrong.push(refusal(quoted(name), `unknown query parameter.${suggestion(route, name, wrong.length)}`))
    else if (name in input) wrong.push(refusal(name, "send this parameter once."))
    else input[name] = route.numbers.has(name) && /^(?:0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : value
  }
  refuse(input, route, wrong)
}

/** Adds the fields of the body. Errors: validation_failed for unknown ones and for path parameters. */
export function addBody(input: Fields, route: Route, body: JsonObject): void {
  const wrong: FieldError[] = []
  for (const [name, value] of Object.entries(body)) {
    if (!isSent(route, name))
      wrong.push(refusal(quoted(name), `unknown field.${suggestion(route, name, wrong.length)}`))
    else input[name] = route.amounts.has(name) ? amountOf(value) : plainJson(value)
  }
  refuse(input, route, wrong)
}

/** Whether a query or body may have this name. Path parameters are allowed in the path only. */
const isSent = ({ fields, parameters }: Route, name: string): boolean => fields.has(name) && !parameters.includes(name)

const refusal = (field: string, sentence: string): FieldError => ({ field, code: "validation_failed", sentence })

/** Also reports problems of the known fields, so that the caller can correct everything at once. */
function refuse(input: Fields, { procedure }: Route, wrong: readonly FieldError[]): void {
  if (wrong.length === 0) return
  const schema = procedure._def.inputs[0] as z.ZodType | undefined
  const issues = schema?.safeParse(input, { error: sentenceOf }).error?.issues ?? []
  const known = issues
    .map(fieldErrorOf)
    // A field that is missing because its name was misspelled.
    .filter(
      ({ field }) => field in input || !wrong.some(({ sentence }) => sentence.endsWith(` Did you mean ${field}?`)),
    )
  throw failureOfFields([...wrong, ...known])
}

/** An amount keeps the digits that were sent, because a double cannot hold all of them. */
const amountOf = (value: Json): unknown =>
  typeof value === "number" ? String(value) : value instanceof JsonNumber ? value.source : plainJson(value)

/** The name that the caller may have meant, or all names. Empty after many others, whose sentences are not shown. */
function suggestion({ fields, parameters }: Route, name: string, others: number): string {
  if (others >= MOST_NAMED) return ""
  const known = [...fields].filter((field) => !parameters.includes(field))
  return didYouMean(name, known) || (known.length > 0 ? ` Allowed: ${known.join(", ")}.` : "")
}

function decode(text: string, where: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(where.startsWith("path") ? text : text.replaceAll("+", " "))
  } catch (cause) {
    return fail("malformed_request", `The ${quoted(where)} cannot be decoded: percent-encode it as UTF-8.`, { cause })
  }
}
