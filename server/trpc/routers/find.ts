import { z } from "zod"
import { find, findNamed, MOST_NAMED } from "#server/dashboard/find.ts"
import { plainText } from "#server/lib/text.ts"
import { memberWith, router } from "#server/trpc/trpc.ts"

/** The dashboard's search. */
export const findRouter = router({
  all: memberWith("kyc:read")
    .input(z.object({ text: plainText(200) }))
    .query(async ({ ctx, input }) => ({ data: await find(ctx.principal, input.text) })),

  /** The names of objects that a browser remembers by their ids. */
  named: memberWith("kyc:read")
    .input(z.object({ ids: z.array(z.string().max(100)).max(MOST_NAMED) }))
    .query(async ({ ctx, input }) => ({ data: await findNamed(ctx.principal, input.ids) })),
})
