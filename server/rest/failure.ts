import { TRPCError } from "@trpc/server"
import { isDatabaseUnavailable } from "#db/client.ts"
import { type ErrorCode, errors, Failure } from "#server/errors.ts"
import { logger } from "#server/log.ts"

type Issue = {
  code: string
  path: PropertyKey[]
  message: string
  params?: { code?: ErrorCode }
  keys?: string[]
}

/** Whatever went wrong, as one of our answers. What is not foreseen is logged, and its text stays here. */
export function toFailure(error: unknown, requestId: string, input: Record<string, unknown> | null): Failure {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure) return cause
    if (isDatabaseUnavailable(cause)) {
      logger.warn({ err: cause, requestId }, "the database is not available")
      return new Failure("database_unavailable", errors.database_unavailable[2], { retryAfterSeconds: 1 })
    }
  }
  if (error instanceof TRPCError && error.code === "BAD_REQUEST") {
    const issues = (error.cause as { issues?: Issue[] } | undefined)?.issues
    if (issues?.[0]) return fromIssue(issues[0], input)
  }
  logger.error({ err: error, requestId }, "a request failed")
  return new Failure("internal_error", errors.internal_error[2])
}

function fromIssue(issue: Issue, input: Record<string, unknown> | null): Failure {
  const field = issue.path.map(String).join(".")
  const missing = issue.path.length === 1 && input !== null && !(field in input)
  if (missing) return new Failure("validation_failed", `${field}: is missing.`)
  return new Failure(issue.params?.code ?? "validation_failed", `${field || "body"}: ${issue.message}`)
}
