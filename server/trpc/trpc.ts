import { initTRPC } from "@trpc/server"
import type { OpenApiMeta } from "trpc-to-openapi"
import { z } from "zod"
import { type Context, requireScope } from "#server/domain/context.ts"
import {
  claimOf,
  fingerprintOf,
  isContended,
  readIdempotencyKey,
  withKey,
} from "#server/domain/idempotency.ts"
import { toFailure } from "#server/http/failure.ts"
import type { Json } from "#server/lib/json.ts"
import { requireStorable } from "#server/lib/storable.ts"
import { sentenceOf } from "#server/lib/validation.ts"
import { type ErrorCode, fail, statusOf } from "#shared/errors.ts"
import type { Permission } from "#shared/scopes.ts"

/** What the adapter and the OpenAPI document need to know of a procedure beyond `trpc-to-openapi`'s meta. */
export type ProcedureMeta = OpenApiMeta<{
  /**
   * What the caller needs: a key's scope, or what only people may do; absent where anybody in the workspace will do.
   */
  scope?: Permission
  /** Whether the endpoint honours Idempotency-Key. */
  idempotent?: boolean
  /**
   * Its response holds a secret, and so is not stored for its key: a repeat finds in the claim what was begun, and reads it
   * anew.
   */
  holdsSecret?: boolean
  /** Answers without a key. */
  open?: boolean
  /** Answers without a key, and says more with one. */
  knowsKeys?: boolean
  /** Takes the body's raw bytes, to verify them before they are read. */
  raw?: boolean
  /**
   * Where the answer may be 202, with a record that is not final yet: the path below /v1 that follows it, fields of the
   * record in braces.
   */
  accepted?: `/${string}`
  /** Errors of its own, beyond those that every endpoint can give. */
  fails?: readonly ErrorCode[]
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
      const { code, message: detail } = toFailure(error)
      const data = { error: code, detail, requestId: ctx?.requestId ?? null, httpStatus: statusOf(code) }
      return { ...shape, message: detail, data }
    },
  })

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** A procedure that anybody may call. */
export const openProcedure = t.procedure.use(async ({ ctx, getRawInput, next }) => {
  if (ctx.transport === "pages") requireStorable(await getRawInput())
  return next()
})

/** A procedure of a signed-in user, independent of a workspace. */
export const userProcedure = openProcedure.use(({ ctx, next }) => {
  const { user } = ctx
  if (user === null) return fail("not_signed_in", "Sign in first.")
  return next({ ctx: { user } })
})

/**
 * A procedure of a workspace: there is a principal, and it holds the scope that the procedure names.
 *
 * What a page sends with a key is done once: whatever comes again with it, by a second click, from another tab or
 * because the answer was lost, joins what was begun. A refusal has begun nothing, and is decided anew.
 */
export const procedure = openProcedure.use(({ ctx, meta, path, getRawInput, next }) => {
  const { principal } = ctx
  if (principal === null) return refuseStranger(ctx)
  requireScope(principal, meta?.scope)
  const key = meta?.idempotent ? readIdempotencyKey(ctx.idempotencyKey) : null
  if (key === null) return next({ ctx: { principal } })
  return getRawInput().then((input) => {
    const idempotency = claimOf(
      principal,
      key,
      fingerprintOf("POST", path, { input: (input ?? null) as Json }),
    )
    return withKey(idempotency, async () => {
      const outcome = await next({ ctx: { principal, idempotency } })
      if (!outcome.ok && isContended(outcome.error)) throw outcome.error
      return outcome
    })
  })
})

/** A procedure of a workspace's people: no key may call it, whatever its scopes. Errors: insufficient_scope. */
export const memberProcedure = procedure.use(({ ctx, next }) => {
  const { principal } = ctx
  if (principal.via.kind !== "user")
    return fail("insufficient_scope", "Only members of a workspace can do this. Sign in to the dashboard.")
  return next({ ctx: { principal: { ...principal, via: principal.via } } })
})

function refuseStranger({ transport, user }: Context): never {
  if (transport === "api") fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
  if (user === null) fail("not_signed_in", "Sign in first.")
  return fail("workspace_not_found", "x-vouch-workspace: required. Send the workspace's id.")
}
