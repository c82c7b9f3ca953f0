import { cursorPattern } from "#domain/events"
import { idPattern } from "#server/lib/ids.ts"
import { type ErrorCode, errors, statusOf } from "#shared/errors.ts"
import type { Route } from "../routes.ts"
import type { Header, Reference } from "./types.ts"

const RETRY_AFTER = "Seconds to wait before you retry."

/** Response headers, by their name in the document's components. */
export const headers = {
  "X-Request-Id": {
    description: "Request id. Quote it to support.",
    required: true,
    schema: { type: "string", pattern: idPattern("req") },
    example: "req_4MpXbW9sYt2KcQvLhRz7Jd",
  },
  "Strict-Transport-Security": {
    description: "Tells clients to use HTTPS only.",
    required: true,
    schema: { type: "string" },
    example: "max-age=63072000; includeSubDomains",
  },
  RateLimit: {
    description:
      "What this key has left: `r` requests, and `t` seconds until the full limit is restored (draft-ietf-httpapi-ratelimit-headers). Absent if rates are not limited.",
    schema: { type: "string", pattern: '^"key";r=[0-9]+;t=[0-9]+$' },
    example: '"key";r=199;t=1',
  },
  "RateLimit-Policy": {
    description: "How many requests (`q`) this key may send within `w` seconds. Absent if rates are not limited.",
    schema: { type: "string", pattern: '^"key";q=[0-9]+;w=[0-9]+$' },
    example: '"key";q=200;w=2',
  },
  "Retry-After": { description: RETRY_AFTER, required: true, schema: { type: "integer", minimum: 0 }, example: 5 },
  "Retry-After-If-Known": {
    description: `${RETRY_AFTER} Absent if unknown.`,
    schema: { type: "integer", minimum: 0 },
    example: 1,
  },
  "WWW-Authenticate": {
    description: "The authentication scheme.",
    required: true,
    schema: { type: "string" },
    example: "Bearer",
  },
  "Resume-Cursor": {
    description: "The cursor to continue from, with `events_rewound`.",
    schema: { type: "string", pattern: cursorPattern.source },
    example: "41-9f3a61c0d7e4",
  },
  Location: {
    description: "Path of the record to poll.",
    required: true,
    schema: { type: "string", format: "uri-reference", pattern: "^/v1/" },
    example: "/v1/token/operation/op_9sXcVbNmQwErTyUiPaSdFg",
  },
  "Preference-Applied": {
    description: "`respond-async` if the request preferred it.",
    schema: { type: "string", const: "respond-async" },
    example: "respond-async",
  },
  "Idempotent-Replayed": {
    description: "`true` if this is the stored response of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
} as const satisfies Record<string, Header>

type HeaderName = keyof typeof headers

const refTo = (name: HeaderName): Reference => ({ $ref: `#/components/headers/${name}` })

/** The headers of an answer, by its status, endpoint (null for a document) and possible errors. */
export function headersOf(
  status: number,
  route: Route | null,
  codes: readonly ErrorCode[] = [],
): Record<string, Reference> {
  const found: Record<string, Reference> = {}
  const add = (isThere: boolean | undefined, ...names: HeaderName[]) => {
    if (isThere) for (const name of names) found[name] = refTo(name)
  }
  add(true, "X-Request-Id", "Strict-Transport-Security")
  add(route !== null && !route.meta.open && status !== 401, "RateLimit", "RateLimit-Policy")
  add(
    codes.some((code) => errors[code].asksForKey),
    "WWW-Authenticate",
  )
  if (codes.some((code) => errors[code].isTimed || statusOf(code) === 503)) {
    found["Retry-After"] = refTo(codes.every((code) => errors[code].isTimed) ? "Retry-After" : "Retry-After-If-Known")
  }
  add(codes.includes("events_rewound"), "Resume-Cursor")
  add(status === 202, "Location", "Retry-After", "Preference-Applied")
  const isReplayed = codes.length === 0 || codes.some((code) => errors[code].isReplayed)
  add(route?.meta.idempotent && status < 500 && isReplayed, "Idempotent-Replayed")
  return found
}
