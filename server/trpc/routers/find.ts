import { z } from "zod"
import { find } from "#server/dashboard/find.ts"
import { plainText } from "#server/lib/text.ts"
import { memberWith, router } from "#server/trpc/trpc.ts"

/** The dashboard's search. */
export const findRouter = router({
  all: memberWith("kyc:read")
    .input(z.object({ text: plainText(200) }))
    .query(async ({ ctx, input }) => ({ data: await find(ctx.principal, input.text) })),
})
