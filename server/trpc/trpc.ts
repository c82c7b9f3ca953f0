import { initTRPC } from "@trpc/server"
import type { OpenApiMeta } from "trpc-to-openapi"
import { z } from "zod"
import { AwaitingApproval, awaitedBy } from "#domain/approvals"
import {
  type Context,
  claimOf,
  fingerprintOf,
  type IdempotencyClaim,
  isContended,
  type Principal,
  readIdempotencyKey,
  requireScope,
  withKey,
} from "#domain/requests"
import { toFailure } from "#server/http/failure.ts"
import { isId } from "#server/lib/ids.ts"
import type { Json } from "#server/lib/json.ts"
import { requireStorable } from "#server/lib/storable.ts"
import { sentenceOf } from "#server/lib/validation.ts"
import { type ErrorCode, fail, statusOf } from "#shared/errors.ts"
import type { Permission } from "#shared/scopes.ts"

/** What the adapter and the OpenAPI document need from a procedure in addition to `trpc-to-openapi`'s meta. */
export type ProcedureMeta = OpenApiMeta<{
  /** The key's scope or the member's permission that the caller needs. Absent if any caller may. */
  scope?: Permission
  /** Whether the endpoint honors Idempotency-Key. */
  idempotent?: boolean
  /** A POST that changes nothing, because what it asks about is too much for a query. */
  onlyReads?: boolean
  /** The answer holds a secret, so it is not stored. A repeat reads what the claim of the first attempt names. */
  holdsSecret?: boolean
  /** It erases what its path names. The request log keeps a successful request without that. */
  erases?: boolean
  /** Answers without a key. */
  open?: boolean
  /** Answers without a key, in more detail with one. */
  knowsKeys?: boolean
  /** Takes the raw bytes of the body, to verify them before parsing. */
  raw?: boolean
  /** If it may answer 202: the path below /v1 to poll, with the record's fields in braces. */
  accepted?: `/${string}`
  /** A policy may require the approval of further members: the answer is then 202 with the approval. */
  needsApproval?: boolean
  /** If it answers with text instead of JSON: its type. The procedure puts the text's parts in `ctx.answer`. */
  media?: "text/csv"
  /** Its own errors, in addition to those of every endpoint. */
  fails?: readonly ErrorCode[]
}>

z.config({ customError: sentenceOf })

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    // A ping keeps proxies from closing a quiet stream, and lets clients notice a broken one. Clients reconnect every
    // 15 minutes, so that they move to new replicas.
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      maxDurationMs: 15 * 60_000,
      client: { reconnectAfterInactivityMs: 40_000 },
    },
    // The dashboard gets the same code, detail and request id as a REST client, and no details of an unknown error.
    errorFormatter({ shape, error, ctx }) {
      const failure = toFailure(error)
      const { code, message: detail } = failure
      const data = {
        error: code,
        detail,
        requestId: ctx?.requestId ?? null,
        httpStatus: statusOf(code),
        ...(failure instanceof AwaitingApproval && { approvalId: failure.approval.approval_id }),
      }
      return { ...shape, message: detail, data }
    },
  })

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** A procedure that anyone may call. */
export const openProcedure = t.procedure.use(({ ctx, getRawInput, next }) =>
  ctx.transport === "pages"
    ? getRawInput()
        .then(requireStorable)
        .then(() => next())
    : next(),
)

/** A procedure of a signed-in user, independent of a workspace. */
export const userProcedure = openProcedure.use(({ ctx, next }) => {
  const { user } = ctx
  if (user === null) return fail("not_signed_in", "Sign in first.")
  return next({ ctx: { user } })
})

/**
 * A procedure of a workspace. The caller is a principal with the scope that the procedure names. If a page's call has
 * an idempotency key, it runs once: a repeat (a second click, another tab, a lost answer) joins the first call. A
 * refused call began nothing, so a repeat of it is checked again.
 */
export const procedure = openProcedure.use(({ ctx, meta, path, getRawInput, next }) => {
  const { principal } = ctx
  if (principal === null) return refuseAnonymous(ctx)
  requireScope(principal, meta?.scope)
  const key = meta?.idempotent ? readIdempotencyKey(ctx.idempotencyKey) : null
  if (key === null) return refuseIfAwaited(principal, meta, ctx.idempotency).then(() => next({ ctx: { principal } }))
  return getRawInput().then((input) => {
    const idempotency = claimOf(principal, key, fingerprintOf("POST", path, { input: (input ?? null) as Json }))
    return withKey(idempotency, async () => {
      await refuseIfAwaited(principal, meta, idempotency)
      const outcome = await next({ ctx: { principal, idempotency } })
      if (!outcome.ok && isContended(outcome.error)) throw outcome.error
      return outcome
    })
  })
})

/** A repeat of a request that asked for approval must not act. Throws AwaitingApproval. */
async function refuseIfAwaited(
  { workspaceId }: Principal,
  meta: ProcedureMeta | undefined,
  idempotency: IdempotencyClaim | null,
): Promise<void> {
  const begun = idempotency?.begun ?? null
  if (meta?.needsApproval && begun !== null && isId("apr", begun)) throw await awaitedBy(workspaceId, begun)
}

type Openapi = NonNullable<ProcedureMeta["openapi"]>
type Route = `${Openapi["method"]} /${string}`
/** What an endpoint needs, takes, returns, and says in the API reference. */
type Endpoint<Input, Output> = Omit<ProcedureMeta, "openapi" | "open" | "idempotent"> &
  Required<Pick<Openapi, "summary" | "description">> &
  Pick<Openapi, "operationId"> & { input?: Input; output: Output }

const nothing = z.object({})

/** A group of endpoints in the API reference: makes procedures that REST offers as well. */
export function endpointsIn(group: string) {
  const metaOf = (route: Route, about: Omit<Endpoint<unknown, unknown>, "input" | "output">): ProcedureMeta => {
    const { operationId, summary, description, ...rest } = about
    const [method, path] = route.split(" ") as [Openapi["method"], `/${string}`]
    return {
      ...rest,
      openapi: { method, path, tags: [group], summary, description, ...(operationId && { operationId }) },
    }
  }
  return {
    /** An endpoint for keys. Every write honors Idempotency-Key. */
    endpoint<Output extends z.ZodType, Input extends z.ZodObject = typeof nothing>(
      route: Route,
      { input = nothing as unknown as Input, output, ...about }: Endpoint<Input, Output>,
    ) {
      const meta = {
        ...metaOf(route, about),
        ...(!route.startsWith("GET ") && !about.onlyReads && { idempotent: true }),
      }
      return procedure.meta(meta).input(input).output(output)
    },
    /** An endpoint that answers without a key. */
    openEndpoint<Output extends z.ZodType, Input extends z.ZodObject = typeof nothing>(
      route: Route,
      { input = nothing as unknown as Input, output, ...about }: Endpoint<Input, Output>,
    ) {
      return openProcedure
        .meta({ ...metaOf(route, about), open: true })
        .input(input)
        .output(output)
    },
  }
}

/** A procedure for members of a workspace. No key may call it. Errors: insufficient_scope. */
export const memberProcedure = procedure.use(({ ctx, next }) => {
  const { principal } = ctx
  if (principal.via.kind !== "user")
    return fail("insufficient_scope", "Only members of a workspace can do this. Sign in to the dashboard.")
  return next({ ctx: { principal: { ...principal, via: principal.via } } })
})

/** The same for members with a permission. */
export const memberWith = (scope: Permission) => memberProcedure.meta({ scope })

/** The author of a change and their workspace. */
export const changeBy = ({ principal, requestId }: Pick<Context, "requestId"> & { principal: Principal }) => ({
  workspaceId: principal.workspaceId,
  author: { principal, requestId },
})

function refuseAnonymous({ transport, user }: Context): never {
  if (transport === "api") fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
  if (user === null) fail("not_signed_in", "Sign in first.")
  return fail("workspace_not_found", "x-vouch-workspace: required. Send the workspace's id.")
}
