// Reviews: cases that wait for a member.

/** Reads. */
export {
  countReviews,
  vendorReviewsOf,
  listReviews,
  readNeighbours,
  reviewFilter,
  reviewTables,
  type SummaryRow,
  summaryFields,
  toReviewSummary,
} from "./read.ts"
export {
  type Acting,
  awaitsApproval,
  type LockedReview,
  lockReview,
  requireSeen,
  reviewNotFound,
  reviewState,
} from "./lock.ts"

/** Opening, closing and erasing. */
export { openReview } from "./open.ts"
export { fillPriorities } from "./priorities.ts"
export { closeReviews, closeVendorReviews, eraseReviews } from "./close.ts"
export { refuseToEndAlone } from "./refuse-to-end-alone.ts"

/** Assignment and notes. */
export { assignMatching, countMatching, reviewsUpTo } from "./assign-matching.ts"
export { addNote, assignReview, assignReviews, listReviewers } from "./assign.ts"

/** Owners of sealed texts. */
export {
  claimsOwner,
  entryOwner,
  openReviewClaims,
  readReviewClaims,
  reasonOwner,
  sealReviewClaims,
} from "./owners.ts"
