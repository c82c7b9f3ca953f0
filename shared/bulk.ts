/** The most attestations in one bulk revocation. */
export const MOST_REVOKED_TOGETHER = 500

/** The most reviews that are assigned at once. */
export const MOST_ASSIGNED_TOGETHER = 100
