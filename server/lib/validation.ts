import type { z } from "zod"
import { type ErrorCode, Failure, fail } from "#shared/errors.ts"
import { didYouMean } from "./did-you-mean.ts"
import { quoted } from "./text.ts"

type Raw = z.core.$ZodRawIssue
type Words = { [Code in Raw["code"]]: (issue: Extract<Raw, { code: Code }>) => string }

/** Words for the expected type of a value. */
const types: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
}

/** Words for the expected format of a string. */
const formats: Record<string, string> = {
  datetime: "a time such as 2026-01-02T03:04:05Z",
  email: "an email address",
  url: "an address such as https://example.com/",
}

const sizes: Record<string, string> = { string: " characters", array: " entries", set: " entries" }

/** A minimum of one means "not empty". */
const holds = new Set(["string", "array", "set"])

const sizeOf = (origin: string, size: number | bigint): string =>
  (Number(size) === 1 ? sizes[origin]?.replace(/ies$/, "y").replace(/s$/, "") : sizes[origin]) ?? ""

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`

/** The message for each reason of the validator, used if a field does not define one. */
const words: Words = {
  invalid_type: ({ expected, input }) =>
    input === undefined ? "required" : types[expected] ? `must be ${types[expected]}` : "has the wrong type",
  too_small: ({ origin, minimum }) =>
    holds.has(origin) && Number(minimum) === 1
      ? "must not be empty"
      : `must ${sizes[origin] ? "have" : "be"} at least ${minimum}${sizeOf(origin, minimum)}`,
  too_big: ({ origin, maximum }) =>
    `must ${sizes[origin] ? "have" : "be"} at most ${maximum}${sizeOf(origin, maximum)}`,
  invalid_format: ({ format }) => (formats[format] ? `must be ${formats[format]}` : "has the wrong format"),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys, inst }) => {
    const { shape } = (inst?._zod.def ?? {}) as { shape?: object }
    return `unknown field.${didYouMean(keys[0] ?? "", Object.keys(shape ?? {}))}`
  },
  invalid_value: ({ values, input }) => (input === undefined ? "required" : `must be ${listed(values)}`),
  invalid_union: ({ input, discriminator, options }) => {
    // Reported at the field that selects the variant.
    const given = discriminator === undefined ? input : (input as Record<string, unknown>)[discriminator]
    if (given === undefined) return "required"
    return Array.isArray(options) ? `must be ${listed(options)}` : "has the wrong format"
  },
  invalid_key: () => "has a name that is not allowed",
  invalid_element: () => "has an entry that is not valid",
  custom: () => "is not valid",
}

/** The validator's messages in our words, because customers read them. */
export const sentenceOf = (issue: Raw): string =>
  (words[issue.code as keyof Words] as ((issue: Raw) => string) | undefined)?.(issue) ?? "is not valid"

/** A refusal of a value: the path of the field, the code, and a sentence about the field. */
export type FieldError = { field: string; code: ErrorCode; sentence: string }

export function fieldErrorOf(issue: z.core.$ZodIssue): FieldError {
  const nearest = issue.code === "invalid_union" ? nearestOf(issue) : undefined
  if (nearest) return fieldErrorOf({ ...nearest, path: [...issue.path, ...nearest.path] } as z.core.$ZodIssue)
  const path = issue.code === "unrecognized_keys" ? [...issue.path, quoted(issue.keys[0] ?? "")] : issue.path
  const code = issue.code === "custom" ? (issue.params?.code as ErrorCode | undefined) : undefined
  const sentence = /[.?]$/.test(issue.message) ? issue.message : `${issue.message}.`
  return { field: path.map(String).join("."), code: code ?? "validation_failed", sentence }
}

/** Of a union without a field that selects the variant: what the variant with the fewest mistakes lacks. */
const nearestOf = ({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue | undefined =>
  errors
    .filter((variant) => variant.some(({ path }) => path.length > 0))
    .toSorted((a, b) => a.length - b.length)[0]?.[0]

/** The `detail` of an error. It begins with the field, or with the name of the `whole`. */
export const detailOf = ({ field, sentence }: FieldError, whole = "body"): string => `${field || whole}: ${sentence}`

/** A request may have any number of wrong fields, but people read only a few. */
export const MOST_NAMED = 10
/** The longest detail in characters. Sentences after the first are left out beyond it. */
const LONGEST_DETAIL = 800

/** Refuses a value with the code of the first wrong field and a sentence for each. */
export const failureOf = ({ issues }: z.core.$ZodError, whole?: string): Failure =>
  failureOfFields(issues.map(fieldErrorOf), whole)

/** The same for fields refused for any reason. */
export function failureOfFields(found: readonly FieldError[], whole?: string): Failure {
  const first = new Map(found.toReversed().map((one) => [one.field, one]))
  const wrong = found.filter((one) => first.get(one.field) === one)
  const named: string[] = []
  for (const one of wrong.slice(0, MOST_NAMED)) {
    const sentence = detailOf(one, whole)
    if (named.length > 0 && [...named, sentence].join(" ").length > LONGEST_DETAIL) break
    named.push(sentence)
  }
  const others = wrong.length - named.length
  if (others > 0) named.push(others === 1 ? "1 more field is wrong." : `${others} more fields are wrong.`)
  return new Failure(wrong[0]!.code, named.join(" "))
}

/** Parses a value by its schema. Errors: validation_failed, and those of its fields. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, whole?: string): z.infer<Schema> {
  const { data, error } = schema.safeParse(value, { error: sentenceOf })
  if (error) throw failureOf(error, whole)
  return data as z.infer<Schema>
}

/** Refuses a query on an endpoint without query parameters. */
export function refuseQuery(query: string): void {
  const name = query.split("&").find((pair) => pair !== "")
  if (name !== undefined) {
    fail("validation_failed", `${quoted(name.split("=")[0]!)}: this endpoint takes no query parameters.`)
  }
}
