import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import type { Media, OpenApi, Operation, Parameter, Reference, Response, Schema } from "#server/rest/openapi/types.ts"

/** An endpoint as the reference shows it, with every `$ref` resolved except those to schemas. */
export type Endpoint = {
  /** Its `operationId`. */
  id: string
  method: string
  path: string
  summary: string
  description: string
  /** The scope that the key needs. Null if any key is enough, or none is needed. */
  scope: string | null
  access: "key" | "open" | "signature"
  parameters: Parameter[]
  body: Media | null
  responses: { status: string; response: Response }[]
  isDeprecated: boolean
}

export type Tag = { slug: string; name: string; description: string; endpoints: Endpoint[] }

let read: { document: OpenApi; tags: Tag[] } | undefined

/** The OpenAPI document of this version, with endpoints by tag. */
export function reference(): { document: OpenApi; tags: Tag[] } {
  read ??= load()
  return read
}

function load() {
  const document: OpenApi = parse(readFileSync(join(process.cwd(), "openapi.yaml"), "utf8"))
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      tag: operation.tags?.[0],
      endpoint: endpointOf(document, path, method, operation),
    })),
  )
  const tags = document.tags.map(({ name, description }) => ({
    slug: name.toLowerCase().replaceAll(" ", "-"),
    name,
    description,
    endpoints: endpoints.filter(({ tag }) => tag === name).map(({ endpoint }) => endpoint),
  }))
  return { document, tags: tags.filter(({ endpoints }) => endpoints.length > 0) }
}

function endpointOf(document: OpenApi, path: string, method: string, operation: Operation): Endpoint {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation
  const [scheme] = security
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    summary: summary ?? operationId,
    description: description ?? "",
    scope: scheme?.apiKey?.[0] ?? null,
    access: scheme === undefined ? "open" : "apiKey" in scheme ? "key" : "signature",
    parameters: (parameters ?? []).map((one) => found<Parameter>(document, one)),
    body: Object.values(requestBody?.content ?? {})[0] ?? null,
    responses: Object.entries(responses).map(([status, one]) => ({
      status,
      response: found<Response>(document, one),
    })),
    isDeprecated: operation.deprecated ?? false,
  }
}

function found<T extends object>(document: OpenApi, one: T | Reference): T {
  if (!("$ref" in one) || typeof one.$ref !== "string") return one as T
  const parts = one.$ref.replace("#/", "").split("/")
  return parts.reduce<unknown>((place, part) => (place as Record<string, unknown>)[part], document) as T
}

/** A schema and its name, if it has one. */
function named(schema: Schema): { name: string | null; schema: Schema } {
  if (schema.$ref === undefined) return { name: null, schema }
  const name = schema.$ref.split("/").at(-1)!
  const { $ref: _, ...own } = schema
  return { name, schema: { ...reference().document.components.schemas[name]!, ...own } }
}

/** The address of an endpoint's page. */
export const placeOf = ({ id }: Endpoint): string => `/docs/api/${id}`

/** The endpoint with this `operationId`, with the previous and next one. Null if it does not exist. */
export function endpointAt(id: string) {
  const all = reference().tags.flatMap((tag) => tag.endpoints.map((endpoint) => ({ tag, endpoint })))
  const index = all.findIndex(({ endpoint }) => endpoint.id === id)
  if (index < 0) return null
  return {
    ...all[index]!,
    before: all[index - 1]?.endpoint ?? null,
    after: all[index + 1]?.endpoint ?? null,
  }
}

/** The endpoints that may answer with this error. */
export const endpointsWith = (code: string): Endpoint[] =>
  reference().tags.flatMap(({ endpoints }) => endpoints.filter(({ responses }) => responses.some(isWith(code))))

const isWith =
  (code: string) =>
  ({ response }: Endpoint["responses"][number]): boolean =>
    errorCodesOf(response).includes(code)

/** The error codes of a response. */
export const errorCodesOf = (response: Response): string[] =>
  Object.keys(Object.values(response.content ?? {})[0]?.examples ?? {})

/** The example body of a success, null if there is none. */
export function exampleOf({ responses }: Endpoint): { status: string; value: unknown } | null {
  const success = responses.find(({ status }) => status.startsWith("2"))
  const media = Object.values(success?.response.content ?? {})[0]
  return media?.example === undefined ? null : { status: success!.status, value: media.example }
}

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
  const { discriminator, oneOf, items } = schema as Schema & { discriminator?: { mapping: Record<string, string> } }
  if (items) return variantsOf(items)
  if (!discriminator || !oneOf) return null
  return oneOf.map((variant) => ({
    types: Object.entries(discriminator.mapping).flatMap(([type, ref]) => (ref === variant.$ref ? [type] : [])),
    schema: variant,
  }))
}
