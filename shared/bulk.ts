/** Attestations that can be revoked in one go. */
export const MOST_REVOKED_TOGETHER = 500
