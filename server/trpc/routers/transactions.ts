import { z } from "zod"
import { readTransaction } from "#server/dashboard/transaction.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

export const transactionRouter = router({
  get: procedure
    .meta({ scope: "attestation:read" })
    .input(
      z.object({
        signature: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, "must be the base58 signature of a transaction"),
      }),
    )
    .query(({ ctx, input }) => readTransaction(ctx.principal, input.signature)),
})
