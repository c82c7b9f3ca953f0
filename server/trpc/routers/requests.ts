import { z } from "zod"
import { getRequest, listRequests, STATUS_FILTER } from "#server/dashboard/requests.ts"
import { instant, listOf, page, timestamp } from "#server/lib/fields.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"

const summary = z.object({
  request_id: z.string(),
  at: timestamp,
  method: z.string(),
  /** Path below /v1, with the query. */
  path: z.string(),
  status: z.number().int(),
  error: z.string().nullable(),
  duration_ms: z.number(),
  key_id: z.string(),
  key_name: z.string(),
})

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
    .output(listOf(summary).extend({ used_up: z.object({ mib_per_day: z.number(), until: timestamp }).nullable() }))
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
    .output(
      summary.extend({
        headers: z.record(z.string(), z.string()),
        request_body: z.string().nullable(),
        response_body: z.string().nullable(),
        is_whole: z.boolean(),
      }),
    )
    .query(({ ctx, input }) => getRequest(ctx.principal.workspaceId, input.request_id)),
})
