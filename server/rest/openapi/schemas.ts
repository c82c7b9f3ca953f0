import type { Schema } from "./types.ts"

/** A schema and all schemas within it, outer ones last. References are not followed. */
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

/** Changes the generator's output, in place, to the form that suits 3.1 and code generators best. */
export function tidy(schema: Schema): void {
  for (const one of within(schema)) {
    if ("example" in one) {
      one.examples = [one.example]
      delete one.example
    }
    // zod limits every integer to what a double can hold, which is not one of our limits.
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

/** Answers may gain fields within a version, so they stay open. Requests are closed: they refuse unknown fields. */
export function open(schema: Schema): void {
  for (const one of within(schema)) if (one.additionalProperties === false) delete one.additionalProperties
}

const COMPONENT = "#/components/schemas/"

export const refTo = (name: string): Schema => ({ $ref: COMPONENT + name })

/** The target of a reference, or the schema itself if it is not a reference. */
export const resolve = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref ? schemas[schema.$ref.slice(COMPONENT.length)]! : schema

/** Names of all components that a schema refers to, directly or not. */
export function reachable(schema: Schema, schemas: Record<string, Schema>, found = new Set<string>()): Set<string> {
  for (const { $ref } of within(schema)) {
    const name = $ref?.slice(COMPONENT.length)
    if (name === undefined || found.has(name)) continue
    found.add(name)
    reachable(schemas[name]!, schemas, found)
  }
  return found
}
