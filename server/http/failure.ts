import { TRPCError } from "@trpc/server"
import type { z } from "zod"
import { isDatabaseUnavailable } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { failureOf } from "#server/lib/validation.ts"
import { type ErrorCode, errors, Failure } from "#shared/errors.ts"

/** What tRPC itself refuses before a procedure has its say. */
const refusals: { [code in TRPCError["code"]]?: [ErrorCode, string] } = {
  NOT_FOUND: ["route_not_found", "Procedure not found."],
  METHOD_NOT_SUPPORTED: ["method_not_allowed", "Method not allowed: send changes with POST."],
  UNSUPPORTED_MEDIA_TYPE: ["unsupported_media_type", "Content-Type: must be application/json, in UTF-8."],
  BAD_REQUEST: ["malformed_request", "The call is malformed."],
}

const SAME_KEY = " Use the same Idempotency-Key: nothing happens twice."

/**
 * Whatever went wrong, as one of our answers, the same whichever way the request came in: over REST, from a page, or for
 * a page itself. Nothing of an error that nobody foresaw is in it; `logFailure` says that in the log.
 */
export function toFailure(error: unknown, { hasKey = false }: { hasKey?: boolean } = {}): Failure {
  const ours = (code: "database_unavailable" | "internal_error", retryAfterSeconds?: number) =>
    new Failure(code, errors[code].fix + (hasKey ? SAME_KEY : ""), {
      cause: error,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    })
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure) return cause
    if (isDatabaseUnavailable(cause)) return ours("database_unavailable", 1)
  }
  if (!(error instanceof TRPCError)) return ours("internal_error")
  const { code, cause } = error
  // The input's own parser; what a parser of ours refuses anywhere else is a mistake of ours.
  if (code === "BAD_REQUEST" && cause !== undefined && "issues" in cause) {
    return failureOf(cause as unknown as z.core.$ZodError)
  }
  if (code === "BAD_REQUEST" && cause instanceof SyntaxError) {
    return new Failure("malformed_json", "The input is not valid JSON.")
  }
  const refusal = refusals[code]
  return refusal ? new Failure(...refusal) : ours("internal_error")
}

/** Says in the log what the answer does not. */
export function logFailure({ code, cause }: Failure, requestId: string): void {
  if (cause === undefined) return
  if (code === "internal_error") logger.error({ err: cause, requestId }, "a request failed")
  if (code === "database_unavailable") logger.warn({ err: cause, requestId }, "the database is not available")
}
