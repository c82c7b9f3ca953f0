// Sealing contexts of a review's parts, so that one part cannot replace another.

export const reasonOwner = (reviewId: string): string => `${reviewId} reason`
export const claimsOwner = (reviewId: string): string => `${reviewId} claims`
export const entryOwner = (reviewId: string): string => `${reviewId} entry`
