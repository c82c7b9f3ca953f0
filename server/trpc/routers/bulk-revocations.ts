import { z } from "zod"
import {
  attestationsUpTo,
  cancelBulkRevocation,
  countRevocable,
  publicReason,
  readBulkRevocation,
  readContents,
  searchFilter,
  startBulkRevocation,
} from "#domain/attestations"
import { countedRows, rowsUpTo, wholeNumber } from "#server/lib/fields.ts"
import { words } from "#server/lib/text.ts"
import { memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"
import { MOST_REVOKED_TOGETHER } from "#shared/bulk.ts"
import { fail } from "#shared/errors.ts"

const id = z.string().max(100)
const ids = z
  .array(id)
  .min(1, "must contain an attestation id")
  .max(MOST_REVOKED_TOGETHER, `must be at most ${MOST_REVOKED_TOGETHER}`)
/** Strict, because an act on all that match must not ignore a filter. */
const exactFilter = searchFilter.strict()
/** All that match a filter, with the rows that `count` returned. */
const matching = z.object({ filter: exactFilter, rows: z.object({ verified: countedRows, pending: countedRows }) })

/** Revoking many attestations at once, in the background. */
export const bulkRevocationRouter = router({
  /** How many of a filtered list can be revoked. */
  count: memberWith("attestation:write")
    .input(exactFilter)
    .query(({ ctx, input }) => countRevocable(ctx.principal, input)),

  /** Which rows of a page are among those that `count` counted, and not newer. */
  upTo: memberWith("attestation:write")
    .input(rowsUpTo)
    .query(async ({ ctx, input }) => ({ data: await attestationsUpTo(ctx.principal, input) })),

  start: memberProcedure
    .meta({ scope: "attestation:write", idempotent: true, needsApproval: true })
    .input(
      z.object({
        attestation_ids: ids.optional(),
        /** Those of them whose session the member saw open. They saw all others verified. */
        pending_ids: z.array(id).max(MOST_REVOKED_TOGETHER).optional(),
        matching: matching.optional(),
        reason: words(500),
        public_reason: publicReason.optional(),
      }),
    )
    .mutation(({ ctx, input: { attestation_ids, pending_ids, matching, reason, public_reason } }) => {
      if ((attestation_ids === undefined) === (matching === undefined))
        return fail("validation_failed", "attestation_ids: send either these or matching.")
      const of = matching ?? { ids: attestation_ids!, pending: pending_ids }
      return startBulkRevocation({ ...ctx, of, reason, publicReason: public_reason ?? null })
    }),

  cancel: memberWith("attestation:write")
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => cancelBulkRevocation({ ...ctx, id: input.id })),

  get: memberWith("attestation:read")
    .input(z.object({ id: id.nullable().default(null) }))
    .query(({ ctx, input }) => readBulkRevocation(ctx.principal, input.id)),

  /** The attestations of a list, and what came of each. */
  contents: memberWith("attestation:read")
    .input(
      z.object({
        id,
        limit: wholeNumber(1, 1000).default(20),
        cursor: z
          .string()
          .regex(/^[0-9]{1,5}$/)
          .optional(),
      }),
    )
    .query(({ ctx, input: { cursor = null, ...page } }) => readContents(ctx.principal, { ...page, cursor })),
})
