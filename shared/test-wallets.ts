import type { Address } from "./address.ts"
import type { Claims } from "./claims.ts"
import type { PublicReason } from "./public-reasons.ts"
import type { Decision } from "./statuses.ts"

/** The sandbox's decision about a session, and what else a vendor would report. */
export type TestDecision = { decision: Decision; claims: Claims; publicReason: PublicReason | null }

const american: Claims = { country: "US", age_over_18: true, accredited: true }
const rejected = (publicReason: PublicReason | null = null): TestDecision => ({
  decision: "rejected",
  claims: {},
  publicReason,
})

/**
 * Wallets whose sessions the sandbox decides automatically in test mode. A test compares them with the table in
 * docs/contract.md. Each address is its name, padded with ones to 32 bytes, with the first ending that makes it a point
 * on the curve. So no one has the key.
 */
const wallets = {
  VouchTestApproved11111111111111111111111118: { decision: "approved", claims: american, publicReason: null },
  VouchTestNotAccredited11111111111111111111Q: {
    decision: "approved",
    claims: { ...american, accredited: false },
    publicReason: null,
  },
  VouchTestApprovedFromKP1111111111111111111C: {
    decision: "approved",
    claims: { ...american, country: "KP" },
    publicReason: null,
  },
  VouchTestRejected11111111111111111111111113: rejected(),
  VouchTestUnreadab1eDocument1111111111111116: rejected("documents_unreadable"),
  VouchTestMismatch1111111111111111111111111B: rejected("information_mismatch"),
  VouchTestNotE1igib1e1111111111111111111111C: rejected("not_eligible"),
  VouchTestResubmit11111111111111111111111115: { decision: "resubmission_requested", claims: {}, publicReason: null },
  VouchTestReview1111111111111111111111111113: { decision: "in_review", claims: american, publicReason: null },
  VouchTestExpired11111111111111111111111111F: { decision: "expired", claims: {}, publicReason: null },
} as const satisfies Record<string, TestDecision>

export const testWallets: ReadonlyMap<Address, TestDecision> = new Map(
  Object.entries(wallets) as [Address, TestDecision][],
)
