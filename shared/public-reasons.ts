/**
 * The reasons that an investor may see for a failed or revoked verification. The internal reason stays with the company,
 * because revealing it to the investor could be tipping off.
 */
export const publicReasons = [
  "documents_unreadable",
  "information_mismatch",
  "not_eligible",
  "withdrawn",
  "resubmit",
  "unverifiable",
] as const

export type PublicReason = (typeof publicReasons)[number]

export const isPublicReason = (value: unknown): value is PublicReason => publicReasons.some((one) => one === value)

type Told = { status: string; event_decision: string | null; public_reason: PublicReason | null }

/** The public reason shown at a status; null if there is nothing to explain. */
export function publicReasonOf({ status, event_decision, public_reason }: Told): PublicReason | null {
  if (status === "rejected") return public_reason ?? "unverifiable"
  if (status === "pending" && event_decision === "resubmission_requested") return public_reason ?? "resubmit"
  return null
}
