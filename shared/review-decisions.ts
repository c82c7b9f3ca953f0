/** `showsReason`: the investor sees a public reason for the decision. */
export const reviewDecisions = {
  approve: { label: "Approve", past: "Approved", showsReason: false },
  request_resubmission: { label: "Request resubmission", past: "Resubmission requested", showsReason: true },
  reject: { label: "Reject", past: "Rejected", showsReason: true },
  keep_rejected: { label: "Keep rejected", past: "Kept rejected", showsReason: false },
  clear: { label: "Clear", past: "Cleared", showsReason: false },
  revoke: { label: "Revoke", past: "Revoked", showsReason: true },
} as const satisfies Record<string, { label: string; past: string; showsReason: boolean }>

export type ReviewDecision = keyof typeof reviewDecisions
export const allReviewDecisions = Object.keys(reviewDecisions) as ReviewDecision[]

export const isReviewDecision = (value: unknown): value is ReviewDecision =>
  typeof value === "string" && Object.hasOwn(reviewDecisions, value)
