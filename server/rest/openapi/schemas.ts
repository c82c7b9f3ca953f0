import type { Schema } from "./types.ts"

/** A schema and all that stand within it, the outer ones last. References are not followed. */
export function* within(schema: Schema): Generator<Schema> {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : []),
    ...(schema.anyOf ?? []),
    ...((schema.oneOf as Schema[] | undefined) ?? []),
    ...((schema.allOf as Schema[] | undefined) ?? []),
  ]
  for (const one of inner) yield* within(one)
  yield schema
}

/** Brings what the generator wrote into the form that 3.1 and code generators like best, in place. */
export function tidy(schema: Schema): void {
  for (const one of within(schema)) {
    if ("example" in one) {
      one.examples = [one.example]
      delete one.example
    }
    // zod limits every integer to what a double can hold; that is not one of our limits.
    if (one.minimum === Number.MIN_SAFE_INTEGER) delete one.minimum
    if (one.maximum === Number.MAX_SAFE_INTEGER) delete one.maximum
    flattenNullable(one)
  }
}

/** `anyOf: [{ type: "string", … }, { type: "null" }]` as `type: ["string", "null"]`. */
function flattenNullable(schema: Schema): void {
  const { anyOf, ...outer } = schema
  if (anyOf?.length !== 2) return
  const [inner, nothing] = anyOf as [Schema, Schema]
  if (nothing.type !== "null" || typeof inner.type !== "string") return
  delete schema.anyOf
  Object.assign(schema, inner, outer, { type: [inner.type, "null"] })
  if (inner.enum) schema.enum = [...inner.enum, null]
}

/**
 * Answers may gain fields within a version, so they are not closed. Requests are: unknown fields are refused.
 */
export function open(schema: Schema): void {
  for (const one of within(schema)) if (one.additionalProperties === false) delete one.additionalProperties
}

const COMPONENT = "#/components/schemas/"

export const refTo = (name: string): Schema => ({ $ref: COMPONENT + name })

/** The schema that a reference leads to; one that is no reference is itself. */
export const resolve = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref ? schemas[schema.$ref.slice(COMPONENT.length)]! : schema

/** Names of all components that a schema leads to. */
export function reachable(
  schema: Schema,
  schemas: Record<string, Schema>,
  found = new Set<string>(),
): Set<string> {
  for (const { $ref } of within(schema)) {
    const name = $ref?.slice(COMPONENT.length)
    if (name === undefined || found.has(name)) continue
    found.add(name)
    reachable(schemas[name]!, schemas, found)
  }
  return found
}
