// What the sealed parts of a review belong to: one cannot stand in the place of another.

export const reasonOwner = (reviewId: string): string => `${reviewId} reason`
export const claimsOwner = (reviewId: string): string => `${reviewId} claims`
export const entryOwner = (reviewId: string): string => `${reviewId} entry`
