import { z } from "zod"
import { cancelBulkRevocation, publicReason, readBulkRevocation, startBulkRevocation } from "#domain/attestations"
import { words } from "#server/lib/text.ts"
import { memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"
import { MOST_REVOKED_TOGETHER } from "#shared/bulk.ts"

/** Revoking many attestations at once, in the background. */
export const bulkRevocationRouter = router({
  start: memberProcedure
    .meta({ scope: "attestation:write", idempotent: true, needsApproval: true })
    .input(
      z.object({
        attestation_ids: z
          .array(z.string().max(100))
          .min(1, "must contain an attestation id")
          .max(MOST_REVOKED_TOGETHER, `must be at most ${MOST_REVOKED_TOGETHER}`),
        reason: words(500),
        public_reason: publicReason.optional(),
      }),
    )
    .mutation(({ ctx, input }) =>
      startBulkRevocation({
        ...ctx,
        attestationIds: input.attestation_ids,
        reason: input.reason,
        publicReason: input.public_reason ?? null,
      }),
    ),

  cancel: memberWith("attestation:write")
    .input(z.object({ id: z.string().max(100) }))
    .mutation(({ ctx, input }) => cancelBulkRevocation({ ...ctx, id: input.id })),

  get: memberWith("attestation:read")
    .input(z.object({ id: z.string().max(100).nullable().default(null) }))
    .query(({ ctx, input }) => readBulkRevocation(ctx.principal, input.id)),
})
