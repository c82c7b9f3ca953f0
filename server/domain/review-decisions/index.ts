// What members decide in reviews, and what follows.

/** Deciding, and reading what a decision needs. */
export { decideReview, redoReviewDecision } from "./decide.ts"
export { readReview } from "./detail.ts"
