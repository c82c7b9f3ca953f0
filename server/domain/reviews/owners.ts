import { seal, unseal } from "#domain/deployment"
import type { Claims } from "#shared/claims.ts"

// Sealing contexts of a review's parts, so that one part cannot replace another.

export const reasonOwner = (reviewId: string): string => `${reviewId} reason`
export const claimsOwner = (reviewId: string): string => `${reviewId} claims`
export const entryOwner = (reviewId: string): string => `${reviewId} entry`

export const openReviewClaims = (reviewId: string, sealed: Buffer | null): Claims =>
  sealed === null ? {} : JSON.parse(unseal(claimsOwner(reviewId), sealed))
export const sealReviewClaims = (reviewId: string, claims: Claims): Buffer =>
  seal(claimsOwner(reviewId), JSON.stringify(claims))
