import { z } from "zod"
import { renameAccount } from "#server/domain/accounts/rename.ts"
import { readWorkspace } from "#server/domain/accounts/workspace.ts"
import { nameText } from "#server/lib/text.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"

export const workspaceRouter = router({
  get: memberProcedure.query(({ ctx }) => readWorkspace(ctx.principal)),

  renameAccount: memberProcedure
    .meta({ scope: "member:write" })
    .input(z.object({ name: nameText(100) }))
    .mutation(({ ctx, input }) => renameAccount({ ...ctx, name: input.name })),
})
