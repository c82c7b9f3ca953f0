import type { Schema } from "./types.ts"

// Converts the JSON Schema of the document to TypeScript. An unknown keyword stops the generator, because a wrong type
// is worse than none.

/** Keywords that narrow a value in ways that TypeScript cannot express. */
const WITHOUT_TYPE = `description examples default format pattern minLength maxLength minimum maximum exclusiveMinimum
  exclusiveMaximum minItems maxItems propertyNames discriminator`
const WITH_TYPE = "$ref type properties required additionalProperties items anyOf oneOf enum const"
const SUPPORTED = new Set(`${WITHOUT_TYPE} ${WITH_TYPE}`.split(/\s+/))

const SIMPLE: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
}

/** The name at the end of a reference. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

/** A comment for editors, empty without a text. */
export function comment(text: string | undefined, indent: string): string {
  if (!text) return ""
  const lines = text.replaceAll("*/", "* /").split("\n")
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join("\n")
}

/** The type of a schema. An optional field of a request (`isSent`) may also be `undefined`. */
export function typeOf(schema: Schema, isSent: boolean, indent = ""): string {
  for (const keyword of Object.keys(schema)) {
    if (!SUPPORTED.has(keyword))
      throw new Error(`The generator of the client's types does not support the keyword ${keyword}. Add it.`)
  }
  const { $ref, enum: values, type, anyOf, oneOf } = schema
  if ($ref !== undefined) return nameOf($ref)
  if (values) return union(values.map((value) => JSON.stringify(value)))
  if ("const" in schema) return JSON.stringify(schema.const)
  const choice = anyOf ?? oneOf
  if (choice) return union(choice.map((one) => typeOf(one, isSent, indent)))
  if (type === undefined) return "unknown"
  return union([type].flat().map((one) => SIMPLE[one] ?? compound(one, schema, isSent, indent)))
}

/** The fields of an object, one per line, without braces. */
export function fieldsOf(schema: Schema, isSent: boolean, indent: string): string {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOf(field, isSent, indent)
    const isOptional = !required.has(name)
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)
    const value = isOptional && isSent ? `${type} | undefined` : type
    return `${comment(field.description, indent)}${indent}${key}${isOptional ? "?" : ""}: ${value}\n`
  })
  return fields.join("")
}

function compound(type: string, schema: Schema, isSent: boolean, indent: string): string {
  if (type === "array") return `Array<${typeOf(schema.items ?? {}, isSent, indent)}>`
  if (type !== "object")
    throw new Error(`The generator of the client's types does not support the type ${type}. Add it.`)
  const { properties, additionalProperties } = schema
  if (properties) return `{\n${fieldsOf(schema, isSent, `${indent}  `)}${indent}}`
  const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, isSent, indent) : "unknown"
  return `Record<string, ${value}>`
}

const union = (types: string[]): string => [...new Set(types)].join(" | ")
