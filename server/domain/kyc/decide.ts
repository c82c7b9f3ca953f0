import { type Decision, decisions } from "#shared/statuses.ts"

/** The state of an attestation when an event about it arrives. */
export type VerificationState = {
  status: "pending" | "verified" | "rejected" | "expired"
  /** Approved, and on its way to the chain. */
  approved: boolean
  /** Rejected by the vendor, and not by a member. */
  rejectedByVendor?: boolean
  /** The event applied last: when the provider decided, and the rank of its decision. */
  last: { at: Date; rank: number } | null
}

/**
 * `approve` a pending attestation (it stays pending until its credential lands: `attestations/operations/attest.ts`),
 * `reject` or `expire` it, `keep` it open, `revoke` a verified one. Nothing leaves `rejected`: if the vendor reverses
 * its rejection, a member `review`s that, until the vendor rejects again (`reject_again`). `ignore` events that are too
 * late or that the state does not allow.
 */
export type EventEffect = "approve" | "reject" | "expire" | "keep" | "revoke" | "review" | "reject_again" | "ignore"

/** What a decision does to an attestation that is pending and not approved. */
export const pendingEffects = {
  rejected: "reject",
  approved: "approve",
  expired: "expire",
  resubmission_requested: "keep",
  in_review: "keep",
} as const satisfies Record<Decision, EventEffect>

/** Orders decisions of the same instant: the higher rank wins. */
export const rankOf = (decision: Decision): number => decisions.indexOf(decision)

/** What an authentic event does. Events are ordered by the provider's time, not by arrival. */
export function effectOf(state: VerificationState, event: { decision: Decision; occurredAt: Date }): EventEffect {
  if (!isNewer(event, state.last)) return "ignore"
  const { status, approved, rejectedByVendor } = state
  if (status === "verified") return event.decision === "rejected" ? "revoke" : "ignore"
  if (status === "rejected" && rejectedByVendor) {
    if (event.decision === "approved") return "review"
    return event.decision === "rejected" ? "reject_again" : "ignore"
  }
  if (status !== "pending" || (approved && event.decision !== "rejected")) return "ignore"
  return pendingEffects[event.decision]
}

function isNewer(event: { decision: Decision; occurredAt: Date }, last: VerificationState["last"]): boolean {
  if (last === null) return true
  const difference = event.occurredAt.getTime() - last.at.getTime()
  return difference > 0 || (difference === 0 && rankOf(event.decision) > last.rank)
}
