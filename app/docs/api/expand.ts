type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export type OpenApi = { components: { schemas: { [name: string]: Json } } } & { [name: string]: Json }

/**
 * The same document, in which each named schema holds what it refers to. Scalar misreads references that go three deep
 * through an `anyOf`, and says so on the console. No schema of ours refers to itself.
 */
export function expandSchemas(document: OpenApi): OpenApi {
  const { schemas } = document.components
  const expand = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(expand)
    if (value === null || typeof value !== "object") return value
    const { $ref, ...own } = value
    const name = typeof $ref === "string" ? $ref.split("/").at(-1)! : null
    const expanded = Object.fromEntries(Object.entries(own).map(([key, part]) => [key, expand(part)]))
    return name === null ? expanded : { ...(expand(schemas[name]!) as object), ...expanded }
  }
  return {
    ...document,
    components: { ...document.components, schemas: expand(schemas) as OpenApi["components"]["schemas"] },
  }
}
