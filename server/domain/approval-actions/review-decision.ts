import { redoReviewDecision } from "#domain/review-decisions"
import { act } from "./act.ts"

export const reviewDecision = act((verb, { subject }) => redoReviewDecision(verb, subject))
