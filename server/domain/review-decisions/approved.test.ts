import { type Case, checksUnderPolicy, entries, key, owner, page, usesPolicies, why } from "#test/fixtures/policies.ts"
import { vendorReview } from "#test/fixtures/reviews.ts"
import { app } from "#test/fixtures/uses-app.ts"

usesPolicies()
checksUnderPolicy([["review_decision", "a member", decidedBy]])

async function decidedBy(): Promise<Case> {
  const { reviewId, sessionId, wallet } = await vendorReview(app, key)
  const { browser } = owner
  return {
    send: async () => {
      const { version } = (await browser.query("review.get", { review_id: reviewId })).data
      return page("review.decide", { review_id: reviewId, version, decision: "reject", ...why })
    },
    effects: () => entries(reviewId, "review.decided"),
    // The vendor finds something else.
    change: () => app.webhook({ session_id: sessionId, decision: "in_review", reason: `Another finding: ${wallet}` }),
  }
}
