import { initTRPC, type TRPCError } from "@trpc/server"
import type { OpenApiMeta } from "trpc-to-openapi"
import { z } from "zod"
import { isDatabaseUnavailable } from "#db/client.ts"
import { type Context, requireScope } from "#server/domain/context.ts"
import { requireStorable } from "#server/lib/storable.ts"
import { detailOf, refusalOf, sentenceOf } from "#server/lib/validation.ts"
import { type ErrorCode, errors, Failure, fail, statusOf } from "#shared/errors.ts"
import type { Permission } from "#shared/scopes.ts"

/** What the adapter and the OpenAPI document need to know of a procedure beyond `trpc-to-openapi`'s meta. */
export type ProcedureMeta = OpenApiMeta<{
  /** What the caller needs: a key's scope, or what only people may do; absent where anybody in the workspace will do. */
  scope?: Permission
  /** Whether the endpoint honours Idempotency-Key. */
  idempotent?: boolean
  /** Answers without a key. */
  open?: boolean
  /** Takes the body's raw bytes, to verify them before they are read. */
  raw?: boolean
  /**
   * Where the answer may be 202, with a record that is not final yet: the path below /v1 that follows it, fields of the
   * record in braces.
   */
  accepted?: `/${string}`
  /** Errors of its own, beyond those that every endpoint can give. */
  fails?: readonly (keyof typeof errors)[]
}>

z.config({ customError: sentenceOf })

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    // Subscriptions: a ping keeps proxies from closing what is quiet, and a client notices by it what has died. After a
    // while it connects anew, so that no connection outlives the replica that a load balancer would choose today.
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      maxDurationMs: 15 * 60_000,
      client: { reconnectAfterInactivityMs: 40_000 },
    },
    // The dashboard sees the same code, detail and request id as a REST client, and nothing of an unknown error.
    errorFormatter({ shape, error, ctx }) {
      const { code, detail } = explain(error)
      const data = { error: code, detail, requestId: ctx?.requestId ?? null, httpStatus: statusOf(code) }
      return { ...shape, message: detail, data }
    },
  })

/** What tRPC itself refuses before a procedure has its say. */
const refusals: { [code in TRPCError["code"]]?: { code: ErrorCode; detail: string } } = {
  NOT_FOUND: { code: "route_not_found", detail: "Procedure not found." },
  METHOD_NOT_SUPPORTED: {
    code: "method_not_allowed",
    detail: "Method not allowed: send changes with POST.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    code: "unsupported_media_type",
    detail: "Content-Type: must be application/json, in UTF-8.",
  },
  PARSE_ERROR: { code: "malformed_json", detail: "The input is not valid JSON." },
  BAD_REQUEST: { code: "malformed_request", detail: "The call is malformed." },
}

/** The answer that an error of a procedure gives: its own, or internal_error for what nobody foresaw. */
export function explain(error: TRPCError): { code: ErrorCode; detail: string } {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure) return { code: cause.code, detail: cause.message }
    if (isDatabaseUnavailable(cause)) {
      return {
        code: "database_unavailable",
        detail: "The database is unreachable. Try again in a moment.",
      }
    }
  }
  const { cause } = error
  const [issue] = (cause as { issues?: z.core.$ZodIssue[] } | undefined)?.issues ?? []
  if (issue) {
    const refusal = refusalOf(issue)
    return { code: refusal.code, detail: detailOf(refusal, "input") }
  }
  if (cause instanceof SyntaxError && error.code === "BAD_REQUEST") return refusals.PARSE_ERROR!
  return refusals[error.code] ?? { code: "internal_error", detail: errors.internal_error.fix }
}

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** A procedure that anybody may call. */
export const openProcedure = t.procedure.use(async ({ ctx, getRawInput, next }) => {
  if (ctx.door === "pages") requireStorable(await getRawInput())
  return next()
})

/** A procedure of whoever is signed in, in whatever workspace. */
export const userProcedure = openProcedure.use(({ ctx, next }) => {
  const { user } = ctx
  if (user === null) return fail("not_signed_in", "Sign in first.")
  return next({ ctx: { user } })
})

/** A procedure of a workspace: there is a principal, and it holds the scope that the procedure names. */
export const procedure = openProcedure.use(({ ctx, meta, next }) => {
  const { principal } = ctx
  if (principal === null) return refuseStranger(ctx)
  requireScope(principal, meta?.scope)
  return next({ ctx: { principal } })
})

/** A procedure of a workspace's people: no key may call it, whatever its scopes. Errors: insufficient_scope. */
export const memberProcedure = procedure.use(({ ctx, next }) => {
  const { principal } = ctx
  if (principal.via.kind !== "user")
    return fail("insufficient_scope", "Only members of a workspace can do this. Sign in to the dashboard.")
  return next({ ctx: { principal: { ...principal, via: principal.via } } })
})

function refuseStranger({ door, user }: Context): never {
  if (door === "api") fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
  if (user === null) fail("not_signed_in", "Sign in first.")
  return fail("workspace_not_found", "x-vouch-workspace: required. Send the workspace's id.")
}
