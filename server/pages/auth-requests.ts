import type { IncomingMessage } from "node:http"
import { z } from "zod"
import { AUTH_PATH, currentAttempt } from "#domain/people"
import { requireJson } from "#server/http/body.ts"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { requireStorable } from "#server/lib/storable.ts"
import { nameText } from "#server/lib/text.ts"
import { parse, refuseQuery } from "#server/lib/validation.ts"
import { fail } from "#shared/errors.ts"

const text = z.string()
const nothing = {}
const password = { password: text }
const code = { code: text, trustDevice: z.boolean().optional() }
/** How an authenticator was reached, such as `usb` or `internal`. Stored as received. */
const transport = z.string().regex(/^[a-z-]{1,20}$/)

/**
 * The better-auth endpoints that pages use, with the bodies they accept. All others answer 404. Our own procedures
 * replace some of them and are stricter: names must be readable, sessions are listed without their tokens, and a
 * password reset also ends sessions, passkeys and second factors.
 */
const endpoints: Record<string, "GET" | z.ZodObject> = {
  "/get-session": "GET",
  "/sign-in/email": z.strictObject({ email: text, ...password, rememberMe: z.boolean().optional() }),
  "/sign-out": z.strictObject(nothing),
  "/change-password": z.strictObject({
    currentPassword: text,
    newPassword: text,
    revokeOtherSessions: z.boolean().optional(),
  }),
  "/revoke-other-sessions": z.strictObject(nothing),
  "/two-factor/enable": z.strictObject(password),
  "/two-factor/disable": z.strictObject(password),
  "/two-factor/verify-totp": z.strictObject(code),
  "/two-factor/verify-backup-code": z.strictObject(code),
  "/two-factor/generate-backup-codes": z.strictObject(password),
  "/passkey/generate-register-options": "GET",
  "/passkey/verify-registration": z.strictObject({
    name: nameText(100).optional(),
    response: z.looseObject({ response: z.looseObject({ transports: z.array(transport).max(10).optional() }) }),
  }),
  "/passkey/generate-authenticate-options": "GET",
  "/passkey/verify-authentication": z.strictObject({ response: z.looseObject({ id: text }) }),
  "/passkey/list-user-passkeys": "GET",
  "/passkey/delete-passkey": z.strictObject({ id: text }),
  "/passkey/update-passkey": z.strictObject({ id: text, name: nameText(100) }),
}

/** The endpoint at a path without query, or null. */
const endpointAt = (path: string) =>
  path.startsWith(AUTH_PATH) && Object.hasOwn(endpoints, path.slice(AUTH_PATH.length))
    ? endpoints[path.slice(AUTH_PATH.length)]!
    : null

export const isAuthEndpoint = (path: string): boolean => endpointAt(path) !== null

/** The one method that an endpoint accepts. */
export const methodOf = (path: string): "GET" | "POST" => (endpointAt(path) === "GET" ? "GET" : "POST")

/**
 * Checks a request before better-auth sees it. The library fails with 500 on values of the wrong type, and it also
 * accepts forms. Errors: unsupported_media_type, malformed_json, malformed_request, validation_failed.
 */
export function checkAuthRequest(url: string, request: IncomingMessage, body: Buffer): void {
  const [path, query = ""] = url.split("?", 2) as [string, string?]
  const shape = endpointAt(path)
  if (shape === null || shape === "GET") return
  refuseQuery(query)
  requireJson(request, body)
  const input = body.length === 0 ? {} : plainJson(readJsonObject(body))
  requireStorable(input)
  parse(shape, input)
}

/** Corrects better-auth's answer if its status is wrong. Errors: rate_limited. */
export async function correctAuthResponse(answer: Response): Promise<Response> {
  if (answer.status === 429 && answer.headers.has("x-retry-after")) {
    const seconds = Number(answer.headers.get("x-retry-after"))
    fail("rate_limited", `Too many attempts from this address. Retry in ${seconds} s.`, {
      retryAfterSeconds: seconds,
    })
  }
  // The passkey plugin reports a malformed registration as a server error.
  if (answer.status === 500 && !currentAttempt()?.isProven) {
    const body = await answer.text()
    const status = body.includes("FAILED_TO_VERIFY_REGISTRATION") ? 400 : 500
    return new Response(body, { status, headers: answer.headers })
  }
  return answer
}
