// The part of OpenAPI 3.1 that Vouch's document uses. The types of openapi3-ts allow what it never has, such as a
// reference in place of every part or a missing body or schema, and lack what it has, such as `info.summary`.

/** JSON Schema 2020-12, or a reference to one. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  [keyword: string]: unknown
}

export type Reference = { $ref: string }
export type Example = { summary?: string; value: unknown }
export type Media = { schema: Schema; example?: unknown; examples?: Record<string, Example | Reference> }
type Content = Record<string, Media>

export type Header = { description: string; required?: boolean; schema: Schema; example?: unknown }

/** A link from an answer to another operation, with the sources of its parameters. */
export type Link = { operationId: string; parameters: Record<string, string> }

export type Response = {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Content
  links?: Record<string, Reference>
}

export type Parameter = {
  name: string
  in: "path" | "query" | "header"
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export type Security = Record<string, string[]>[]

export type Operation = {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  security: Security
  parameters?: (Parameter | Reference)[]
  requestBody?: { description?: string; required: boolean; content: Content }
  responses: Record<string, Response | Reference>
}

export type PathItem = { [method: string]: Operation }

export type Components = {
  schemas: Record<string, Schema>
  responses: Record<string, Response>
  parameters: Record<string, Parameter>
  examples: Record<string, Example>
  headers: Record<string, Header>
  links: Record<string, Link>
  securitySchemes: Record<string, Record<string, unknown>>
}

export type OpenApi = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string; description?: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  components: Components
}
