import { TRPCError } from "@trpc/server"
import type { z } from "zod"
import { isDatabaseUnavailable } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { detailOf, refusalOf } from "#server/lib/validation.ts"
import { errors, Failure } from "#shared/errors.ts"

type Failed = {
  requestId: string
  /** Null before it was read. */
  input: Record<string, unknown> | null
  /** Whether the request carries an Idempotency-Key that its endpoint takes. */
  hasKey: boolean
}

const SAME_KEY = " Use the same Idempotency-Key: nothing happens twice."

/** Whatever went wrong, as one of our answers. What is not foreseen is logged, and its text stays here. */
export function toFailure(error: unknown, { requestId, input, hasKey }: Failed): Failure {
  const ours = (code: "database_unavailable" | "internal_error") =>
    errors[code].fix + (hasKey ? SAME_KEY : "")
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure) return cause
    if (isDatabaseUnavailable(cause)) {
      logger.warn({ err: cause, requestId }, "the database is not available")
      return new Failure("database_unavailable", ours("database_unavailable"), { retryAfterSeconds: 1 })
    }
  }
  if (error instanceof TRPCError && error.code === "BAD_REQUEST") {
    const issues = (error.cause as { issues?: z.core.$ZodIssue[] } | undefined)?.issues
    if (issues?.[0]) return fromIssue(issues[0], input)
  }
  logger.error({ err: error, requestId }, "a request failed")
  return new Failure("internal_error", ours("internal_error"))
}

function fromIssue(issue: z.core.$ZodIssue, input: Record<string, unknown> | null): Failure {
  const refusal = refusalOf(issue)
  // A field with a code of its own that is not there at all is missing before it is anything else.
  const missing = issue.path.length === 1 && input !== null && !(issue.path[0]! in input)
  if (missing) return new Failure("validation_failed", `${refusal.field}: required.`)
  return new Failure(refusal.code, detailOf(refusal))
}
