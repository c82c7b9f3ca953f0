import { STATUS_CODES } from "node:http"
import { idPattern } from "#server/lib/ids.ts"
import { errorExamples } from "#shared/error-examples.ts"
import { apiErrorCodes, type ErrorCode, errorCodes, errors, statusOf } from "#shared/errors.ts"
import type { Route } from "../routes.ts"
import { headersOf } from "./headers.ts"
import { pascalCase } from "./names.ts"
import type { Components, Example, Reference, Response, Schema } from "./types.ts"

type Rule = { applies: (route: Route | null) => boolean; codes: readonly ErrorCode[] }

const takesBody = (route: Route | null): boolean => route !== null && route.method !== "GET"
const isKeyed = (route: Route | null): boolean => route !== null && !route.meta.open

/** Errors that the adapter returns before a procedure runs. A procedure lists its own in `meta.fails`. */
const rules: readonly Rule[] = [
  {
    applies: () => true,
    codes: ["malformed_request", "https_required", "validation_failed", "rate_limited", "internal_error"],
  },
  { applies: isKeyed, codes: ["missing_api_key", "invalid_api_key", "expired_api_key", "database_unavailable"] },
  { applies: (route) => route?.meta.scope !== undefined, codes: ["insufficient_scope"] },
  { applies: (route) => route?.meta.needsApproval === true, codes: ["approver_missing"] },
  { applies: takesBody, codes: ["malformed_json", "payload_too_large", "server_busy"] },
  { applies: (route) => takesBody(route) && !route?.meta.raw, codes: ["unsupported_media_type"] },
  { applies: (route) => route?.meta.raw === true, codes: ["rate_limited", "database_unavailable"] },
  {
    applies: (route) => route?.meta.idempotent === true,
    codes: ["invalid_idempotency_key", "idempotency_in_progress", "idempotency_key_reused"],
  },
]

/** Every error of an endpoint (null: a document), in the order of the error table. */
function codesOf(route: Route | null): ErrorCode[] {
  const given = new Set([
    ...rules.filter(({ applies }) => applies(route)).flatMap(({ codes }) => codes),
    ...(route?.meta.fails ?? []),
  ])
  return errorCodes.filter((code) => given.has(code))
}

/** The server's answer when its tests caused the error. */
const exampleOf = (code: ErrorCode): Example => ({ summary: errors[code].title, value: errorExamples[code].body })

/** The error object of every error response. */
export const errorSchema: Schema = {
  type: "object",
  description: "What went wrong and what to do.",
  properties: {
    error: {
      type: "string",
      enum: apiErrorCodes,
      description: "Error code for your program. New codes may be added. Handle an unknown code by its status.",
    },
    detail: {
      type: "string",
      description: "For people: names the field and says what to do. Its wording may change.",
    },
    request_id: {
      type: "string",
      description: "Request id, or that of the first request if its response is replayed. Quote it to support.",
      pattern: idPattern("req"),
    },
  },
  required: ["error", "detail", "request_id"],
  additionalProperties: false,
  examples: [exampleOf("attestation_not_found").value],
}

/** The error responses of an endpoint (null: a document), by status. Equal ones share a component. */
export function errorResponses(route: Route | null, components: Components): Record<string, Response | Reference> {
  const found: Record<string, Response | Reference> = {}
  for (const [status, codes] of groupByStatus(codesOf(route))) {
    for (const code of codes) components.examples[code] ??= exampleOf(code)
    found[status] = share(errorResponse(status, route, codes), namesFor(status, route, codes), components)
  }
  return found
}

function groupByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = Map.groupBy(codes, statusOf)
  return new Map([...groups].sort(([a], [b]) => a - b))
}

function errorResponse(status: number, route: Route | null, codes: readonly ErrorCode[]): Response {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: codes.map((code) => `- \`${code}\`: ${errors[code].title}.`).join("\n"),
    headers: headersOf(status, route, codes),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ApiError" },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

/** Names that a response may have among the components. None if it belongs to one endpoint. */
function namesFor(status: number, route: Route | null, codes: readonly ErrorCode[]): string[] {
  const single = codes.length === 1
  if (!single && codes.some((code) => route?.meta.fails?.includes(code))) return []
  const name = pascalCase(single ? codes[0]! : STATUS_CODES[status]!)
  return [name, `${name}Of${kindOf(route)}`]
}

function kindOf(route: Route | null): string {
  if (!isKeyed(route)) return route?.meta.raw ? "Webhook" : "Open"
  if (route!.meta.idempotent) return "Idempotent"
  return takesBody(route) ? "Write" : "Read"
}

/** A reference to the response, under the first name that is free or has the same content. */
function share(response: Response, names: readonly string[], { responses }: Components): Response | Reference {
  const text = JSON.stringify(response)
  for (const name of names) {
    responses[name] ??= response
    if (JSON.stringify(responses[name]) === text) return { $ref: `#/components/responses/${name}` }
  }
  return response
}
