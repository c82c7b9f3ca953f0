import { comment, fieldsOf, nameOf, typeOf } from "./client-types.ts"
import type { OpenApi, Operation, Parameter, Reference, Response, Schema } from "./types.ts"

const HEADING = `// Generated from openapi.yaml by \`npm run openapi:write\`. Do not edit.
import type { AsyncOptions, EventPages, Pages, RequestOptions } from "./options.ts"
`

/** Endpoints for KYC providers and readers of documents have no methods. */
const isLeftOut = ({ security, tags }: Operation) =>
  tags?.includes("Description") || security.some((one) => "webhookSignature" in one)

/** What a response is, other than one record. */
type Answer = "pages" | "events" | "csv" | null

/** The generated code of the TypeScript client: a type for each schema and a method for each endpoint. */
export function clientSource({ paths, components }: OpenApi): string {
  const types: string[] = []
  const methods: string[] = []
  const routes: string[] = []
  const unknown = new Set<string>()
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (isLeftOut(operation)) {
        for (const name of schemasOf(operation)) unknown.add(name)
        continue
      }
      const parameters = (operation.parameters ?? []).map((one) => found(one, components.parameters))
      const answer = answerOf(parameters, operation)
      methods.push(methodOf(operation, parameters, answer))
      routes.push(
        `  ${operation.operationId}: ${JSON.stringify([method.toUpperCase(), path, ...(answer ? [answer] : [])])},\n`,
      )
    }
  }
  for (const [name, schema] of Object.entries(components.schemas))
    if (name !== "ApiError" && !unknown.has(name)) types.push(declaration(name, schema))
  const codes = components.schemas.ApiError!.properties!.error!.enum as string[]
  return [
    HEADING,
    `/** The codes of the API's errors. */\nexport type ErrorCode =\n${codes.map((code) => `  | ${JSON.stringify(code)}\n`).join("")}`,
    ...types,
    `/** A method for each endpoint, by its \`operationId\`. */\nexport interface Methods {\n${methods.join("\n")}}\n`,
    `/** Each method's endpoint. */\nexport const routes = {\n${routes.join("")}} as const\n`,
  ].join("\n")
}

/** The schemas that an endpoint refers to directly. */
function schemasOf({ requestBody, responses }: Operation): string[] {
  const media = [requestBody, responses["200"] as Response | undefined].flatMap((one) =>
    Object.values(one?.content ?? {}),
  )
  return media.flatMap(({ schema }) => (schema.$ref === undefined ? [] : nameOf(schema.$ref)))
}

function declaration(name: string, schema: Schema): string {
  const isSent = name.endsWith("Request")
  const head = comment(schema.description, "")
  if (schema.type === "object" && schema.properties)
    return `${head}export interface ${name} {\n${fieldsOf(schema, isSent, "  ")}}\n`
  return `${head}export type ${name} = ${typeOf(schema, isSent)}\n`
}

function methodOf(operation: Operation, parameters: Parameter[], answer: Answer): string {
  const { operationId, summary, description } = operation
  const { type, isOptional } = paramsOf(operation, parameters)
  const options = parameters.some(({ name }) => name === "Prefer") ? "AsyncOptions" : "RequestOptions"
  const params = type === null ? "params?: Record<never, never>" : `params${isOptional ? "?" : ""}: ${type}`
  const text = [summary && `${summary}.`, description].filter(Boolean).join(" ")
  return `${comment(text, "  ")}  ${operationId}(${params}, options?: ${options}): ${returned(operation, answer)}\n`
}

/** The parameters of a method: path, query and body fields, whose names never collide. */
function paramsOf(operation: Operation, parameters: Parameter[]): { type: string | null; isOptional: boolean } {
  const named = parameters.filter(({ in: place }) => place !== "header")
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  if (schema && named.some(({ in: place }) => place === "query"))
    throw new Error(`${operation.operationId}: the client can send a body or a query, not both.`)
  const properties = Object.fromEntries(
    named.map(({ name, schema, description }) => [name, withText(schema, description)]),
  )
  const required = named.filter((one) => one.required).map(({ name }) => name)
  const isOptional = required.length === 0
  const fields = named.length > 0 ? `{\n${fieldsOf({ properties, required }, true, "    ")}  }` : null
  if (schema === undefined) return { type: fields, isOptional }
  const body = schema.$ref === undefined ? typeOf(schema, true, "  ") : nameOf(schema.$ref)
  return { type: fields === null ? body : `${fields} & ${body}`, isOptional: false }
}

const withText = (schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : { ...schema, description }

function returned({ responses }: Operation, answer: Answer): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1] as Response | undefined
  const schema = Object.values(success?.content ?? {})[0]?.schema
  if (schema === undefined) return "Promise<void>"
  const type = typeOf(schema, false, "  ")
  if (answer === null || answer === "csv") return `Promise<${type}>`
  return answer === "events" ? `EventPages<${type}>` : `Pages<${type}>`
}

/** A list continues by a cursor or by the sequence of events. */
function answerOf(parameters: Parameter[], { operationId, responses }: Operation): Answer {
  if (operationId === "listEvents") return "events"
  if ("text/csv" in ((responses["200"] as Response | undefined)?.content ?? {})) return "csv"
  return parameters.some(({ name, in: place }) => name === "cursor" && place === "query") ? "pages" : null
}

const found = (one: Parameter | Reference, all: Record<string, Parameter>): Parameter =>
  "$ref" in one ? all[nameOf(one.$ref)]! : one
