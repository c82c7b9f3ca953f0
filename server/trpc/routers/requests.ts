import { z } from "zod"
import { getRequest, listRequests, STATUS_FILTER } from "#server/dashboard/requests.ts"
import { instant, page } from "#server/lib/fields.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"

/** The request log of all keys of the workspace. */
export const requestRouter = router({
  list: memberProcedure
    .input(
      z.object({
        request_id: z.string().max(100).optional(),
        status: z.string().regex(STATUS_FILTER, "must be 2xx, 4xx, 5xx or a status").optional(),
        method: z.enum(["GET", "HEAD", "POST", "PATCH", "DELETE"]).optional(),
        path: z.string().max(200).optional(),
        key_id: z.string().max(100).optional(),
        from: instant.optional(),
        to: instant.optional(),
        ...page,
      }),
    )
    .query(({ ctx, input }) =>
      listRequests(ctx.principal.workspaceId, {
        requestId: input.request_id ?? null,
        status: input.status ?? null,
        method: input.method ?? null,
        path: input.path ?? null,
        keyId: input.key_id ?? null,
        from: input.from === undefined ? null : new Date(input.from),
        to: input.to === undefined ? null : new Date(input.to),
        limit: input.limit,
        cursor: input.cursor ?? null,
      }),
    ),

  get: memberProcedure
    .input(z.object({ request_id: z.string().max(100) }))
    .query(({ ctx, input }) => getRequest(ctx.principal.workspaceId, input.request_id)),
})
