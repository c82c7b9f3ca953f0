/** The most attestations in one bulk revocation. */
export const MOST_REVOKED_TOGETHER = 500
