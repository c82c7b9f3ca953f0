import type { PublicReason } from "#shared/public-reasons.ts"

/** The codes that an investor may be told, as the team reads them. */
export const publicReasonCopy = {
  unverifiable: "Information could not be verified",
  documents_unreadable: "A document could not be read",
  information_mismatch: "Details did not match",
  not_eligible: "Requirements not met",
  withdrawn: "Verification withdrawn",
  resubmit: "Please submit again",
} as const satisfies Record<PublicReason, string>
