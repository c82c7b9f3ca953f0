import { z } from "zod"
import { countErrors } from "#server/dashboard/request-errors.ts"
import { getRequest, listRequests, requestSearch, viewClaimsOfRequest } from "#server/dashboard/requests.ts"
import { memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"

const byId = z.object({ request_id: z.string().max(100) })

/** The request log of all keys of the workspace. */
export const requestRouter = router({
  list: memberProcedure.input(requestSearch).query(({ ctx, input }) => listRequests(ctx.principal, input)),

  get: memberProcedure.input(byId).query(({ ctx, input }) => getRequest(ctx.principal, input.request_id)),

  errors: memberProcedure.query(({ ctx }) => countErrors(ctx.principal.workspaceId)),

  /** A mutation, because each view is an entry in the audit log. */
  viewClaims: memberWith("claims:read")
    .input(byId)
    .mutation(({ ctx, input }) => viewClaimsOfRequest(ctx, input.request_id)),
})
