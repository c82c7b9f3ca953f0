import { z } from "zod"
import { renameAccount } from "#server/accounts/rename.ts"
import { nameText } from "#server/text.ts"
import { memberProcedure, router } from "#server/trpc.ts"
import { readWorkspace } from "./read.ts"

export const workspaceRouter = router({
  get: memberProcedure.query(({ ctx }) => readWorkspace(ctx.principal)),

  renameAccount: memberProcedure
    .meta({ scope: "member:write" })
    .input(z.object({ name: nameText(100) }))
    .mutation(({ ctx, input }) => renameAccount({ ...ctx, name: input.name })),
})
