/** The most attestations that a member can select one by one for a bulk revocation. */
export const MOST_REVOKED_TOGETHER = 500

/** The most reviews that a member can select one by one to assign them. */
export const MOST_ASSIGNED_TOGETHER = 100

/** The most payouts that a member can select one by one to mark them as paid. */
export const MOST_MARKED_TOGETHER = 500

/** The most rows of a list that a member can act on together by its filter. */
export const MOST_MATCHING = 10_000
