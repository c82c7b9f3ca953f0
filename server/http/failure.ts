import { TRPCError } from "@trpc/server"
import type { z } from "zod"
import { isDatabaseUnavailable } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { failureOf } from "#server/lib/validation.ts"
import { type ErrorCode, type ErrorOptions, errors, Failure } from "#shared/errors.ts"
import { noteFailure } from "./metrics.ts"

/** Refusals of tRPC before a procedure runs. */
const refusals: { [code in TRPCError["code"]]?: [ErrorCode, string] } = {
  NOT_FOUND: ["route_not_found", "Procedure not found."],
  METHOD_NOT_SUPPORTED: ["method_not_allowed", "Method not allowed: send changes with POST."],
  UNSUPPORTED_MEDIA_TYPE: ["unsupported_media_type", "Content-Type: must be application/json, in UTF-8."],
  BAD_REQUEST: ["malformed_request", "The call is malformed."],
}

const SAME_KEY = " Use the same Idempotency-Key: nothing happens twice."

/**
 * Converts any error to one of our answers, the same for REST, calls of pages and pages themselves. It reveals nothing
 * about an unexpected error, which `logFailure` logs. If a request with an idempotency key may succeed in a moment, the
 * answer says to use the same key.
 */
export function toFailure(error: unknown, { hasKey = false }: { hasKey?: boolean } = {}): Failure {
  const failure = failureBehind(error)
  if (!hasKey || !errors[failure.code].isTemporary) return failure
  return new Failure(failure.code, failure.message + SAME_KEY, failure)
}

const ours = (code: "database_unavailable" | "internal_error", options: ErrorOptions) =>
  new Failure(code, `${errors[code].title}. ${errors[code].fix}`, options)

function failureBehind(error: unknown): Failure {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure) return cause
    if (isDatabaseUnavailable(cause)) return ours("database_unavailable", { cause: error, retryAfterSeconds: 1 })
  }
  if (!(error instanceof TRPCError)) return ours("internal_error", { cause: error })
  const { code, cause } = error
  // From the parser of the input. A refusal by any other parser is our bug.
  if (code === "BAD_REQUEST" && cause !== undefined && "issues" in cause) {
    return failureOf(cause as unknown as z.core.$ZodError)
  }
  if (code === "BAD_REQUEST" && cause instanceof SyntaxError) {
    return new Failure("malformed_json", "The input is not valid JSON.")
  }
  const refusal = refusals[code]
  return refusal ? new Failure(...refusal) : ours("internal_error", { cause: error })
}

/**
 * The log lines of problems on our side. Not listed: a vendor that does not answer, which is logged where the vendor is
 * called; a mail that cannot be sent, whose sender gets the error; and `server_busy`, whose lines would add to the load.
 */
const lines: { [code in ErrorCode]?: ["error" | "warn", string] } = {
  internal_error: ["error", "a request failed"],
  database_unavailable: ["warn", "the database is not available"],
  chain_unavailable: ["warn", "the chain is not available"],
  chain_not_configured: ["warn", "a request needs a chain, and none is configured"],
  provider_not_configured: ["warn", "a request needs a KYC provider, and none is configured"],
}

/** Counts a failure, and logs what the answer does not say. */
export function logFailure({ code, message, cause }: Failure, requestId: string): void {
  noteFailure(code)
  const [level, line] = lines[code] ?? []
  if (level === undefined) return
  logger[level]({ requestId, reason: message, ...(cause !== undefined && { err: cause }) }, line)
}
