import type { Schema } from "#server/rest/openapi/types.ts"
import { named } from "./openapi.ts"

/** A field's type in words: "string", "array of strings", "integer or null". */
export function typeOf(given: Schema): string {
  const { name, schema } = named(given)
  if (schema.enum) return schema.enum.includes(null) ? "string or null" : "string"
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && schema.type === undefined) return [...new Set(choices.map(typeOf))].join(" or ")
  const types = [schema.type ?? (schema.properties ? "object" : "any")].flat()
  return types
    .map((type) => {
      if (type === "array") return `array of ${plural(typeOf(schema.items ?? {}))}`
      return type === "object" && name !== null ? name : type
    })
    .join(" or ")
}

const plural = (type: string): string => {
  if (type.includes(" ") || /^[A-Z]/.test(type)) return type
  return type === "any" ? "anything" : `${type}s`
}

/** The limits of a value, in words. */
export function limitsOf(given: Schema): string[] {
  const { schema } = named(given)
  const limits: string[] = []
  const say = (words: string, value: unknown) => value !== undefined && limits.push(`${words} ${value}`)
  if (schema.const !== undefined) limits.push(`always ${JSON.stringify(schema.const)}`)
  say("at least", schema.minimum)
  say("more than", schema.exclusiveMinimum)
  say("at most", schema.maximum)
  const { minLength, maxLength } = schema
  if (maxLength !== undefined) limits.push(`${minLength ?? 0} to ${maxLength} characters`)
  if (schema.maxItems !== undefined) limits.push(`${schema.minItems ?? 0} to ${schema.maxItems} items`)
  return limits
}

/** The values that a field may have. Empty if it may have any. */
export function valuesOf(given: Schema): string[] {
  const { schema } = named(given)
  const own = schema.enum?.filter((value) => value !== null).map(String) ?? []
  if (own.length > 0) return own
  if (schema.items) return valuesOf(schema.items)
  return (schema.anyOf ?? []).flatMap(valuesOf)
}

/** The fields of an object, of an array's items, or of the only choice that has fields. */
export function fieldsOf(given: Schema): { fields: [string, Schema][]; required: Set<string> } | null {
  const { schema } = named(given)
  if (schema.properties) return { fields: Object.entries(schema.properties), required: new Set(schema.required ?? []) }
  if (schema.items) return fieldsOf(schema.items)
  for (const choice of schema.anyOf ?? []) {
    const inside = fieldsOf(choice)
    if (inside) return inside
  }
  return null
}

/** For a value whose `type` decides its fields: the names of the types, and the fields of each. */
export function variantsOf(given: Schema): { types: string[]; schema: Schema }[] | null {
  const { schema } = named(given)
  const { discriminator, oneOf, items } = schema as Schema & {
    discriminator?: { mapping: Record<string, string> }
  }
  if (items) return variantsOf(items)
  if (!discriminator || !oneOf) return null
  return oneOf.map((variant) => ({
    types: Object.entries(discriminator.mapping).flatMap(([type, ref]) => (ref === variant.$ref ? [type] : [])),
    schema: variant,
  }))
}
