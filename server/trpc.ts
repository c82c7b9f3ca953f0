import { initTRPC, TRPCError } from "@trpc/server"
import type { OpenApiMeta } from "trpc-to-openapi"
import type { Context, Principal } from "./context.ts"
import { errors, Failure, fail } from "./errors.ts"
import type { Scope } from "./keys/scopes.ts"

/** What the adapter and the OpenAPI document need to know of a procedure beyond `trpc-to-openapi`'s meta. */
export type ProcedureMeta = OpenApiMeta<{
  /** Scope that the caller needs; absent where any key will do. */
  scope?: Scope
  /** Whether the endpoint honours Idempotency-Key. */
  idempotent?: boolean
  /** Answers without a key. */
  open?: boolean
  /** Takes the body's raw bytes, to verify them before they are read. */
  raw?: boolean
  /** Whether the answer may be 202, with a record that is not final yet. */
  accepted?: boolean
  /** Errors of its own, beyond those that every endpoint can give. */
  fails?: readonly (keyof typeof errors)[]
}>

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    // The dashboard sees the same code, detail and request id as a REST client, and nothing of an unknown error.
    errorFormatter({ shape, error, ctx }) {
      const { code, detail } = explain(error.cause ?? error)
      return { ...shape, message: detail, data: { error: code, detail, requestId: ctx?.requestId ?? null } }
    },
  })

/** The answer that an error of a procedure gives: its own, or internal_error for what nobody foresaw. */
export function explain(error: unknown): { code: keyof typeof errors; detail: string } {
  if (error instanceof TRPCError && error.code === "NOT_FOUND") {
    return { code: "route_not_found", detail: "There is no such procedure." }
  }
  if (error instanceof Failure) return { code: error.code, detail: error.message }
  const issues = (error as { issues?: { path: PropertyKey[]; message: string }[] }).issues
  if (issues?.[0])
    return { code: "validation_failed", detail: `${issues[0].path.join(".")}: ${issues[0].message}` }
  return { code: "internal_error", detail: errors.internal_error[2] }
}

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** A procedure that anybody may call. */
export const openProcedure = t.procedure

/** A procedure of a workspace: there is a principal, and it holds the scope that the procedure names. */
export const procedure = t.procedure.use(({ ctx, meta, next }) => {
  const { principal } = ctx
  if (principal === null) return fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
  requireScope(principal, meta?.scope)
  return next({ ctx: { principal } })
})

/** Errors: insufficient_scope. */
export function requireScope(principal: Principal, scope: Scope | undefined): void {
  if (scope !== undefined && !principal.scopes.has(scope)) {
    fail("insufficient_scope", `This needs the scope ${scope}, which the key does not have.`)
  }
}
