import { z } from "zod"
import { watchActivity } from "#server/dashboard/activity.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

export const activityRouter = router({
  /** Says that something in the workspace has changed; what, the pages ask for themselves. */
  changes: procedure
    .input(z.object({}))
    .subscription(({ ctx, signal }) => watchActivity({ principal: ctx.principal, user: ctx.user, signal })),
})
