import { z } from "zod"
import type { Route } from "../routes.ts"
import { answerExample, requestExample, sample } from "./examples.ts"
import { headersOf } from "./headers.ts"
import { operationIdOf, pascalCase } from "./names.ts"
import { errorResponses } from "./responses.ts"
import { refTo, schemaOf } from "./schemas.ts"
import type { Components, Operation, Parameter, Reference, Response, Schema } from "./types.ts"
import { signedWebhook } from "./webhook.ts"

/** Request headers that the adapter reads, by their name in the document's components. */
export const parameters: Record<string, Parameter> = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes the request safe to retry: for 24 hours, the same key with the same request returns the same response. A random UUID is a good key.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    required: false,
    description: "With `respond-async` the response is 202 at once, without waiting for the chain to confirm.",
    schema: { type: "string" },
    example: "respond-async",
  },
}

/** Statuses with the same body as 200, for the few endpoints that have them. */
const alsoAnswers: Record<string, Record<number, string>> = {
  "/health": { 503: "The database is unreachable." },
}

const BEGUN = "Accepted, not final yet. The body is the record so far; poll it until it is final."

const JSON_TYPE = "application/json"

/** Describes an endpoint: its procedure with its meta, and what the adapter does. */
export function operationOf(route: Route, components: Components): Operation {
  const { summary, description, tags, operationId = operationIdOf(route.name) } = route.meta.openapi!
  const { security, headers, requestBody } = route.meta.raw ? signedWebhook : keyed(route, operationId, components)
  const parameters = [...parametersOf(route, components), ...headers]
  return {
    operationId,
    summary,
    description,
    tags,
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...errorResponses(route, components), ...successes(route, operationId, components) },
  }
}

function keyed(route: Route, operationId: string, components: Components) {
  const { meta, method } = route
  return {
    // For a scheme other than OAuth, OpenAPI 3.1 lists roles here. Ours are scopes.
    security: meta.open ? [] : [{ apiKey: meta.scope === undefined ? [] : [meta.scope] }],
    headers: [
      ...(meta.idempotent ? [parameterRef("Idempotency-Key")] : []),
      ...(meta.accepted ? [parameterRef("Prefer")] : []),
    ],
    requestBody: method === "GET" ? undefined : bodyOf(route, operationId, components),
  }
}

const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

/** Requests get names for code generators, and refuse unknown fields. */
function bodyOf(route: Route, operationId: string, components: Components): Operation["requestBody"] | undefined {
  const {
    type,
    properties: fields = {},
    required = [],
  } = schemaOf(route.procedure._def.inputs[0]!, "input", components)
  const sent = ([name]: [string, unknown]) => !route.parameters.includes(name)
  const properties = Object.entries(fields)
    .filter(sent)
    .map(([name, field]) => [name, optional(field)])
  if (properties.length === 0) return undefined
  const needed = required.filter((name) => !route.parameters.includes(name))
  const request: Schema = {
    ...(type && { type }),
    properties: Object.fromEntries(properties),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  }
  const name = `${pascalCase(operationId)}Request`
  components.schemas[name] = request
  const example = requestExample(request, components.schemas, operationId)
  return { required: needed.length > 0, content: { [JSON_TYPE]: { schema: refTo(name), example } } }
}

/** Describes a default in text, because with the keyword client generators assume that the field is always present. */
function optional({ default: value, ...field }: Schema): Schema {
  if (value === undefined || typeof value === "object") return field
  return { ...field, description: `${field.description}. Default: \`${value}\`` }
}

/** The parameters of the path, then those of the query. */
function parametersOf({ method, parameters, procedure }: Route, components: Components): Parameter[] {
  const shape = (procedure._def.inputs[0] as z.ZodObject | undefined)?.shape ?? {}
  const inPath = Object.keys(shape).filter((name) => parameters.includes(name))
  const inQuery = method === "GET" ? Object.keys(shape).filter((name) => !parameters.includes(name)) : []
  return [...inPath, ...inQuery].map((name) => {
    const field = shape[name] as z.ZodType
    const type = field instanceof z.ZodOptional ? field.unwrap() : field
    const whole = schemaOf(type, "input", components)
    const { description, examples: _, ...schema } = whole
    const words = field.meta()?.description ?? description
    const example = sample(whole, components.schemas)
    return {
      name,
      in: inPath.includes(name) ? "path" : "query",
      required: inPath.includes(name) || !field.safeParse(undefined).success,
      ...(words !== undefined && { description: words }),
      schema,
      ...(example !== undefined && { example }),
    }
  })
}

function successes(route: Route, operationId: string, components: Components): Record<string, Response> {
  const { meta, path, procedure } = route
  const schema = schemaOf(procedure._def.output!, "output", components)
  const statuses: Record<number, string> = {
    200: "Success.",
    ...(meta.accepted ? { 202: BEGUN } : {}),
    ...alsoAnswers[path],
  }
  const answers = Object.entries(statuses).map(([status, description]): [string, Response] => {
    const example = answerExample(schema, components.schemas, operationId, Number(status))
    const content = { [JSON_TYPE]: { schema, example } }
    return [status, { description, headers: headersOf(Number(status), route), content }]
  })
  return Object.fromEntries(answers)
}
