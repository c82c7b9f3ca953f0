import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { openApiDocument } from "#server/rest/openapi/document.ts"
import { within } from "#server/rest/openapi/schemas.ts"
import type { Header, OpenApi, PathItem, Reference, Response, Schema } from "#server/rest/openapi/types.ts"
import { type ErrorCode, errors } from "#shared/errors.ts"

/** A response that a test got. */
export type SeenResponse = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The body as JSON; undefined if there is none. */
  json: unknown
}

const document = openApiDocument()
const { components } = document
const ajv = compiler(document)

/**
 * Compares a response's status, headers and body with the OpenAPI document. An undocumented field in the body is an
 * error. `path` is the requested path below /v1. Throws with a description of the difference.
 */
export function assertDocumented(method: string, path: string, response: SeenResponse): void {
  const problem = problemOf(method, path, response)
  if (problem === null) return
  const body = response.json === undefined ? "no JSON body" : JSON.stringify(response.json).slice(0, 500)
  throw new Error(`${method} ${path.slice(0, 200)} answered ${response.status}, but ${problem}.\nBody: ${body}`)
}

function problemOf(method: string, path: string, response: SeenResponse): string | null {
  const template = templateOf(path.split("?")[0]!)
  const item = template === null ? null : document.paths[template]!
  if (response.status === 400 && isAnyRequestError(response.json)) return errorProblem(method, response, everywhere)
  if (item === null) return errorProblem(method, response, ["route_not_found"])
  const allowed = item[(method === "HEAD" ? "GET" : method).toLowerCase()]
  if (!allowed) return method === "OPTIONS" ? optionsProblem(item, response) : methodProblem(method, item, response)
  const documented = allowed.responses[response.status]
  if (!documented) {
    const statuses = Object.keys(allowed.responses).join(", ")
    return `${allowed.operationId} documents only ${statuses}`
  }
  return documentedProblem(method, template!, resolved(documented), response)
}

/** Errors that the server returns before it looks at the path. */
const everywhere: readonly ErrorCode[] = ["malformed_request", "https_required"]

const isAnyRequestError = (json: unknown): boolean =>
  everywhere.includes((json as { error?: ErrorCode } | undefined)?.error as ErrorCode)

function documentedProblem(
  method: string,
  template: string,
  documented: Response,
  response: SeenResponse,
): string | null {
  const media = documented.content?.["application/json"]
  if (documented.content?.["text/csv"]) {
    const type = response.headers["content-type"]
    if (type !== "text/csv; charset=utf-8") return `Content-Type is ${type}`
  }
  const codes = Object.keys(media?.examples ?? {})
  const isError = media?.schema.$ref === "#/components/schemas/ApiError"
  return (
    headerProblem(documented.headers ?? {}, response) ??
    (isError
      ? errorProblem(method, response, codes)
      : bodyProblem(method, media?.schema, response, `${template} ${response.status}`))
  )
}

function methodProblem(method: string, item: PathItem, response: SeenResponse): string | null {
  return errorProblem(method, response, ["method_not_allowed"]) ?? allowProblem(item, response)
}

function optionsProblem(item: PathItem, response: SeenResponse): string | null {
  if (response.status !== 204) return "OPTIONS answers 204"
  if (response.json !== undefined) return "204 has no body"
  return headerProblem(commonHeaders, response) ?? allowProblem(item, response)
}

function allowProblem(item: PathItem, { headers }: SeenResponse): string | null {
  const methods = Object.keys(item).map((method) => method.toUpperCase())
  const missing = methods.filter(
    (method) =>
      !String(headers.allow ?? "")
        .split(", ")
        .includes(method),
  )
  return missing.length > 0 ? `the header Allow does not name ${missing.join(", ")}` : null
}

/** What is wrong with an error: its object, its code, or a status that does not fit the code. */
function errorProblem(method: string, response: SeenResponse, codes: readonly string[]): string | null {
  const problem = headerProblem(commonHeaders, response, false) ?? bodyProblem(method, errorRef, response, "errors")
  if (problem !== null || method === "HEAD") return problem
  const { error, request_id } = response.json as { error: ErrorCode; request_id: string }
  if (!codes.includes(error)) return `${error} is not among the documented ${codes.join(", ") || "codes (none)"}`
  if (errors[error].status !== response.status) return `${error} has the status ${errors[error].status}`
  const replayed = response.headers["idempotent-replayed"] !== undefined
  if (!replayed && request_id !== response.headers["x-request-id"]) return "request_id is not X-Request-Id"
  return null
}

function bodyProblem(
  method: string,
  schema: Schema | undefined,
  { json, headers }: SeenResponse,
  what: string,
): string | null {
  if (method === "HEAD") return json === undefined ? null : "HEAD has no body"
  if (!schema) return json === undefined ? null : "no JSON body is documented"
  if (json === undefined) return "the documented JSON body is missing"
  if (headers["content-type"] !== "application/json") return `Content-Type is ${headers["content-type"]}`
  const validate = validatorOf(schema)
  return validate(json) ? null : `the body does not fit the schema of ${what}: ${ajv.errorsText(validate.errors)}`
}

type Headers = Record<string, Header | Reference>

const commonHeaders: Headers = {
  "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
  "Strict-Transport-Security": { $ref: "#/components/headers/Strict-Transport-Security" },
}

const errorRef: Schema = { $ref: "#/components/schemas/ApiError" }

/** Vouch's own headers, which must be documented wherever they appear. */
const ownHeaders = new Set(Object.keys(components.headers).map((name) => name.toLowerCase()))

/** What is wrong with the headers. With `closed`, an undocumented header of Vouch is wrong too. */
function headerProblem(documented: Headers, { headers }: SeenResponse, closed = true): string | null {
  for (const [name, reference] of Object.entries(documented)) {
    const header = resolved(reference)
    const value = headers[name.toLowerCase()]
    if (value === undefined) {
      if (header.required) return `the header ${name} is missing`
      continue
    }
    const validate = validatorOf(header.schema)
    if (!validate(header.schema.type === "integer" ? Number(value) : value)) {
      return `the header ${name}: ${String(value)} does not fit: ${ajv.errorsText(validate.errors)}`
    }
  }
  const names = new Set(Object.keys(documented).map((name) => name.toLowerCase()))
  const foreign = closed && Object.keys(headers).find((name) => ownHeaders.has(name) && !names.has(name))
  return foreign ? `the header ${foreign} is not documented for this response` : null
}

function resolved<T extends Response | Header>(value: T | Reference): T {
  if (!("$ref" in value)) return value
  const [kind, name] = (value.$ref as string).split("/").slice(2) as ["responses" | "headers", string]
  return components[kind][name] as T
}

const fixed = new Set(Object.keys(document.paths).filter((path) => !path.includes("{")))
const patterns = Object.keys(document.paths)
  .filter((path) => path.includes("{"))
  .map((path) => ({ path, segments: path.split("/") }))

/** The documented path that an address belongs to; null if there is none. */
function templateOf(path: string): string | null {
  if (fixed.has(path)) return path
  const sent = path.split("/")
  const fits = (expected: string, i: number) => (expected.startsWith("{") ? sent[i] !== "" : expected === sent[i])
  const pattern = patterns.find(({ segments }) => segments.length === sent.length && segments.every(fits))
  return pattern?.path ?? null
}

const validators = new Map<string, ValidateFunction>()

function validatorOf(schema: Schema): ValidateFunction {
  const key = JSON.stringify(schema)
  const known = validators.get(key)
  if (known) return known
  const validate = ajv.compile(schema.$ref ? { $ref: `openapi${schema.$ref}` } : (schema as AnySchema))
  validators.set(key, validate)
  return validate
}

/** A validator with the document's schemas, each closed: an undocumented field is an error. */
function compiler({ components }: OpenApi): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const schemas = structuredClone(components.schemas)
  for (const schema of Object.values(schemas).flatMap((one) => [...within(one)])) {
    if (schema.properties) schema.additionalProperties ??= false
  }
  ajv.addSchema({ components: { schemas } }, "openapi")
  return ajv
}
