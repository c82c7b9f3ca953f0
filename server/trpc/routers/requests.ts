import { z } from "zod"
import { getRequest, listRequests, requestSearch } from "#server/dashboard/requests.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"

/** The request log of all keys of the workspace. */
export const requestRouter = router({
  list: memberProcedure.input(requestSearch).query(({ ctx, input }) => listRequests(ctx.principal.workspaceId, input)),

  get: memberProcedure
    .input(z.object({ request_id: z.string().max(100) }))
    .query(({ ctx, input }) => getRequest(ctx.principal.workspaceId, input.request_id)),
})
