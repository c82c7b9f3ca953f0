import type { Route } from "../routes.ts"
import { answerExample, requestExample, sample } from "./examples.ts"
import { headersOf } from "./headers.ts"
import { operationIdOf, pascalCase } from "./names.ts"
import { errorResponses } from "./responses.ts"
import { refTo } from "./schemas.ts"
import type { Components, Operation, Parameter, Reference, Response, Schema, Security } from "./types.ts"
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

const AWAITING = "A policy of the workspace requires the approval of further members. Nothing has happened yet."

const JSON_TYPE = "application/json"

/** The generator's description of a procedure, completed with its meta and what the adapter does. */
export function finish(generated: Operation, route: Route, components: Components): Operation {
  const { meta } = route
  const operationId = meta.openapi?.operationId ?? operationIdOf(route.name)
  const { security, headers, requestBody } = meta.raw ? signedWebhook : keyed(generated, route, operationId, components)
  const inPath = (generated.parameters ?? []) as Parameter[]
  const parameters = [...inPath.map((one) => documentParameter(one, route, components)), ...headers]
  return {
    operationId,
    ...pick(generated, ["summary", "description", "tags", "deprecated"]),
    security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: {
      ...errorResponses(route, components),
      ...successes(generated, route, operationId, components),
    },
  }
}

const pick = <T extends object, K extends keyof T>(from: T, keys: K[]): Pick<T, K> =>
  Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]])) as Pick<T, K>

type Sent = {
  security: Security
  headers: (Parameter | Reference)[]
  requestBody: Operation["requestBody"] | undefined
}

function keyed({ requestBody }: Operation, { meta }: Route, operationId: string, components: Components): Sent {
  return {
    // For a scheme other than OAuth, OpenAPI 3.1 lists roles here. Ours are scopes.
    security: meta.open ? [] : [{ apiKey: meta.scope === undefined ? [] : [meta.scope] }],
    headers: [
      ...(meta.idempotent ? [parameterRef("Idempotency-Key")] : []),
      ...(meta.accepted ? [parameterRef("Prefer")] : []),
    ],
    requestBody: nameBody(requestBody?.content[JSON_TYPE]?.schema, operationId, components),
  }
}

const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

/** Requests get names for code generators, and refuse unknown fields. */
function nameBody(
  schema: Schema | undefined,
  operationId: string,
  { schemas }: Components,
): Operation["requestBody"] | undefined {
  const fields = Object.keys(schema?.properties ?? {})
  if (!schema || fields.length === 0) return undefined
  const name = `${pascalCase(operationId)}Request`
  const properties = Object.entries(schema.properties!).map(([name, field]) => [name, optional(field)])
  const request = { ...schema, properties: Object.fromEntries(properties), additionalProperties: false }
  schemas[name] = request
  const required = (schema.required ?? []).length > 0
  return {
    required,
    content: { [JSON_TYPE]: { schema: refTo(name), example: requestExample(request, schemas, operationId) } },
  }
}

/** Describes a default in text, because with the keyword client generators assume that the field is always present. */
function optional({ default: value, ...field }: Schema): Schema {
  if (value === undefined || typeof value === "object") return field
  return { ...field, description: `${field.description}. Default: \`${value}\`` }
}

/** Moves the description to the parameter. The generator loses that of optional ones. */
function documentParameter(
  { name, in: where, required, schema }: Parameter,
  route: Route,
  components: Components,
): Parameter {
  const { description, examples: _, ...type } = schema
  const words = metaOf(route, name).description ?? description
  const example = sample(schema, components.schemas)
  return {
    name,
    in: where,
    required: required ?? false,
    ...(words === undefined ? {} : { description: words }),
    schema: type,
    ...(example === undefined ? {} : { example }),
  }
}

type Described = { meta(): { description?: string } | undefined }

function metaOf(route: Route, field: string): { description?: string } {
  const input = route.procedure._def.inputs[0] as { shape: Record<string, Described> }
  return input.shape[field]?.meta() ?? {}
}

function successes(
  generated: Operation,
  route: Route,
  operationId: string,
  { schemas }: Components,
): Record<string, Response> {
  const { meta, path } = route
  const { schema } = (generated.responses["200"] as Response).content![JSON_TYPE]!
  const statuses: Record<number, string> = {
    200: meta.openapi?.successDescription ?? "Success.",
    ...(meta.accepted ? { 202: BEGUN } : {}),
    ...(meta.needsApproval ? { 202: AWAITING } : {}),
    ...alsoAnswers[path],
  }
  const answers = Object.entries(statuses).map(([status, description]): [string, Response] => {
    const answer = description === AWAITING ? refTo("Approval") : schema
    const example = answerExample(answer, schemas, operationId, Number(status))
    const content = { [meta.media ?? JSON_TYPE]: { schema: answer, example } }
    return [status, { description, headers: headersOf(Number(status), route), content }]
  })
  return Object.fromEntries(answers)
}
