import type { OpenApi } from "./types.ts"

type Json = Record<string, unknown>

/** The document in OpenAPI 3.0, for generators without support for 3.1: the same endpoints with 3.0's keywords. */
export function asOpenApi30(document: OpenApi): Json {
  const { summary: _, license, ...info } = document.info
  const { identifier, ...named } = license as Json
  return {
    ...(convert(document, false, document.components.schemas) as Json),
    openapi: "3.0.3",
    info: { ...info, license: { ...named, url: `https://spdx.org/licenses/${identifier}.html` } },
  }
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Keys of examples, which may have any form. */
const VALUES = new Set(["example", "value", "default", "enum", "const"])
/** Keys of maps, whose names are not keywords. */
const MAPS = new Set(["properties", "schemas"])

function convert(value: unknown, isSchema: boolean, named: Record<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((one) => convert(one, isSchema, named))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, one]): [string, unknown] => {
    if (VALUES.has(name) || (isSchema && name === "examples")) return [name, one]
    // 3.0 has no roles for an API key, so only 3.1 lists the scopes.
    if (name === "security") return [name, (one as Json[]).map((each) => mapOf(each, () => []))]
    if (MAPS.has(name) && isObject(one)) return [name, mapOf(one, (each) => convert(each, true, named))]
    return [name, convert(one, isSchema || name === "schema", named)]
  })
  const converted = Object.fromEntries(entries)
  return isSchema ? schema(converted, named) : converted
}

const mapOf = (map: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))

function schema(converted: Json, named: Record<string, Json>): Json {
  const { type, examples, exclusiveMinimum, exclusiveMaximum, anyOf, $ref, propertyNames: _, ...made } = converted
  if ("const" in made) {
    made.enum = [made.const]
    delete made.const
  }
  if (Array.isArray(examples)) made.example = examples[0]
  if (exclusiveMinimum !== undefined) Object.assign(made, { minimum: exclusiveMinimum, exclusiveMinimum: true })
  if (exclusiveMaximum !== undefined) Object.assign(made, { maximum: exclusiveMaximum, exclusiveMaximum: true })
  if ($ref !== undefined) return Object.keys(made).length === 0 ? { $ref } : { allOf: [{ $ref }], ...made }
  const forms = (anyOf as Json[] | undefined)?.filter((one) => !isNull(one))
  const isNullable = forms !== undefined && forms.length < (anyOf as Json[]).length
  if (isNullable && forms.length === 1 && typeOf(forms[0]!, named) !== "object") {
    // A list of values must include null, which the named schema does not.
    const { enum: values, examples: _, ...form } = named[nameOf(forms[0]!)] ?? forms[0]!
    return { ...made, ...form, ...(Array.isArray(values) && { enum: [...values, null] }), nullable: true }
  }
  if (forms) {
    Object.assign(made, forms.length === 1 ? { allOf: forms } : { anyOf: forms })
    // `nullable` needs a type next to it: the type of the other values.
    if (isNullable) Object.assign(made, { type: typeOf(forms[0]!, named), nullable: true })
  }
  const types = [type ?? []].flat().filter((one) => one !== "null")
  if (types.length === 1) made.type = types[0]
  else if (types.length > 1) made.anyOf = types.map((one) => ({ type: one }))
  if (Array.isArray(type) && type.includes("null")) made.nullable = true
  // A value that is always null.
  if (type === "null") Object.assign(made, { nullable: true, enum: [null] })
  return made
}

const isNull = ({ nullable, enum: values }: Json): boolean =>
  nullable === true && Array.isArray(values) && values.length === 1 && values[0] === null

const nameOf = ({ $ref }: Json): string => String($ref).split("/").at(-1)!

const typeOf = (one: Json, named: Record<string, Json>): unknown => (named[nameOf(one)] ?? one).type
