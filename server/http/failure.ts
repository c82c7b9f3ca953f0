import { TRPCError } from "@trpc/server"
import type { z } from "zod"
import { isDatabaseUnavailable } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { failureOf } from "#server/lib/validation.ts"
import { type ErrorCode, type ErrorOptions, errors, Failure } from "#shared/errors.ts"
import { noteFailure } from "./metrics.ts"

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
 * a page itself. Nothing of an error that nobody foresaw is in it; `logFailure` says that in the log. A request with a key
 * is told to keep it where it may succeed in a moment.
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
    if (isDatabaseUnavailable(cause))
      return ours("database_unavailable", { cause: error, retryAfterSeconds: 1 })
  }
  if (!(error instanceof TRPCError)) return ours("internal_error", { cause: error })
  const { code, cause } = error
  // The input's own parser; what a parser of ours refuses anywhere else is a mistake of ours.
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
 * What the log says of trouble on our side: a line for each, whoever found it. What a vendor does not answer has its line
 * where the vendor is asked, a mail that cannot be sent is told to whoever sends it, and a line for each refusal of
 * `server_busy` would be more of what there is too much of.
 */
const lines: { [code in ErrorCode]?: ["error" | "warn", string] } = {
  internal_error: ["error", "a request failed"],
  database_unavailable: ["warn", "the database is not available"],
  chain_unavailable: ["warn", "the chain is not available"],
  chain_not_configured: ["warn", "a request needs a chain, and none is configured"],
  provider_not_configured: ["warn", "a request needs a KYC provider, and none is configured"],
}

/** Counts a failure, and says in the log what the answer does not. */
export function logFailure({ code, message, cause }: Failure, requestId: string): void {
  noteFailure(code)
  const [level, line] = lines[code] ?? []
  if (level === undefined) return
  logger[level]({ requestId, reason: message, ...(cause !== undefined && { err: cause }) }, line)
}
