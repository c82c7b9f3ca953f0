import { memberProcedure, router } from "#server/trpc.ts"
import { readWorkspace } from "./read.ts"

export const workspaceRouter = router({
  get: memberProcedure.query(({ ctx }) => readWorkspace(ctx.principal)),
})
