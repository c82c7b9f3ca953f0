import { z } from "zod"
import { decideReview, readReview } from "#domain/review-decisions"
import * as reviews from "#domain/reviews"
import { countedRows, country, page, rowsUpTo } from "#server/lib/fields.ts"
import { words } from "#server/lib/text.ts"
import { memberWith, router } from "#server/trpc/trpc.ts"
import { MOST_ASSIGNED_TOGETHER } from "#shared/bulk.ts"
import { type Claims, mapClaims } from "#shared/claims.ts"
import { publicReasons } from "#shared/public-reasons.ts"
import { allReviewDecisions } from "#shared/review-decisions.ts"

const reviewId = z.string().max(100)
const seen = z.object({ review_id: reviewId, version: z.number().int() })
/** Text that is not only spaces. */
const reason = words(500)

const claims = z.strictObject(mapClaims(({ kind }) => (kind === "country" ? country : z.boolean()).optional()))

const queueFilter = reviews.reviewFilter.omit({ state: true })
/** Strict, because an act on all that match must not ignore a filter. */
const exactFilter = queueFilter.strict()

const reviewProcedure = memberWith("review:write")

/** Reviews, which members decide. */
export const reviewRouter = router({
  count: reviewProcedure.input(z.object({})).query(({ ctx }) => reviews.countReviews(ctx.principal)),

  list: reviewProcedure
    .input(reviews.reviewFilter.extend({ cursor: page.cursor }))
    .query(({ ctx, input }) => reviews.listReviews(ctx.principal, input)),

  get: reviewProcedure
    .input(z.object({ review_id: reviewId }))
    .query(({ ctx, input }) => readReview(ctx.principal, input.review_id)),

  neighbours: reviewProcedure
    .input(queueFilter.extend({ review_id: reviewId }))
    .query(({ ctx, input: { review_id, ...filter } }) => reviews.readNeighbours(ctx.principal, review_id, filter)),

  reviewers: reviewProcedure
    .input(z.object({}))
    .query(async ({ ctx }) => ({ data: await reviews.listReviewers(ctx.principal) })),

  /** A mutation, because each view is an entry in the audit log. */
  viewClaims: memberWith("claims:read")
    .input(z.object({ review_id: reviewId }))
    .mutation(({ ctx, input }) => reviews.readReviewClaims({ ...ctx, reviewId: input.review_id })),

  assign: reviewProcedure
    .input(z.object({ review_id: reviewId, assignee: z.string().max(100).nullable() }))
    .mutation(({ ctx, input }) =>
      reviews.assignReview({ ...ctx, reviewId: input.review_id, assignee: input.assignee }),
    ),

  assignMany: reviewProcedure
    .input(
      z.object({
        review_ids: z.array(reviewId).min(1).max(MOST_ASSIGNED_TOGETHER),
        assignee: z.string().max(100).nullable(),
      }),
    )
    .mutation(({ ctx, input }) =>
      reviews.assignReviews({ ...ctx, reviewIds: input.review_ids, assignee: input.assignee }),
    ),

  /** How many of the queue match, to assign all of them. */
  matching: reviewProcedure.input(exactFilter).query(({ ctx, input }) => reviews.countMatching(ctx.principal, input)),

  /** Which rows of a page are among those that `matching` counted, and not newer. */
  upTo: reviewProcedure
    .input(rowsUpTo)
    .query(async ({ ctx, input }) => ({ data: await reviews.reviewsUpTo(ctx.principal, input) })),

  assignMatching: reviewProcedure
    .input(
      z.object({
        filter: exactFilter,
        rows: countedRows,
        assignee: z.string().max(100).nullable(),
      }),
    )
    .mutation(({ ctx, input }) => reviews.assignMatching({ ...ctx, ...input })),

  note: reviewProcedure
    .input(z.object({ review_id: reviewId, text: words(2000) }))
    .mutation(({ ctx, input }) => reviews.addNote({ ...ctx, reviewId: input.review_id, text: input.text })),

  decide: reviewProcedure
    .input(
      seen.extend({
        decision: z.enum(allReviewDecisions),
        reason,
        public_reason: z.enum(publicReasons).nullable().default(null),
        claims: claims.nullable().default(null),
      }),
    )
    .mutation(({ ctx, input }) =>
      decideReview(
        { ...ctx, reviewId: input.review_id, version: input.version },
        {
          decision: input.decision,
          reason: input.reason,
          publicReason: input.public_reason,
          claims: input.claims as Claims | null,
        },
      ),
    ),
})
