import { z } from "zod"
import { watchActivity } from "#server/dashboard/activity.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

export const activityRouter = router({
  /** Announces that something in the workspace has changed. The pages then read what. */
  changes: procedure
    .input(z.object({}))
    .subscription(({ ctx, signal }) => watchActivity({ principal: ctx.principal, user: ctx.user, signal })),
})
