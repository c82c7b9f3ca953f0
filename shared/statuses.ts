// What the records of Vouch can be, in the words of the API. Screens say each with the look that
// `app/components/ui/badge.tsx` gives it.

export const attestationStatuses = ["pending", "verified", "rejected", "expired"] as const
export type AttestationStatus = (typeof attestationStatuses)[number]

/** As people read it: what the API calls `rejected` was either refused or revoked. */
export const shownStatuses = ["pending", "verified", "rejected", "revoked", "expired"] as const
export type ShownStatus = (typeof shownStatuses)[number]

/** What a provider says of a session, in the order of weight that decides between events of the same instant. */
export const decisions = ["in_review", "resubmission_requested", "expired", "approved", "rejected"] as const
export type Decision = (typeof decisions)[number]

/**
 * How far a session has come. `open` waits for the investor, `approved` for the chain; the last four are final, whatever
 * becomes of the attestation later.
 */
export const sessionStates = [
  "open",
  "in_review",
  "approved",
  "verified",
  "rejected",
  "cancelled",
  "expired",
] as const
export type SessionState = (typeof sessionStates)[number]

/**
 * What a vendor says to deleting what it keeps of an erased person. `kept`: it has the same record for another wallet of
 * the person, and is asked when that one is erased.
 */
const vendorRedactions = ["requested", "done", "not_supported", "kept"] as const
export type VendorRedaction = (typeof vendorRedactions)[number]

/** As people read it: one that was asked for in vain for hours has failed, though it goes on. */
export const shownRedactions = [...vendorRedactions, "failed"] as const
export type ShownRedaction = (typeof shownRedactions)[number]

/** Why one attestation of several was not revoked, by the code that revoking it alone would answer with. */
export type RevocationFailure =
  | "attestation_not_found"
  | "insufficient_scope"
  | "review_open"
  | "internal_error"

export const operationStatuses = ["queued", "submitted", "confirmed", "failed"] as const
export type OperationStatus = (typeof operationStatuses)[number]

/** `saved` may still land; only `confirmed` has. */
export const transactionStatuses = ["saved", "confirmed", "failed", "expired"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export const keyStatuses = ["active", "expired", "revoked"] as const
export type KeyStatus = (typeof keyStatuses)[number]

/** Who an audit entry names: a member, an API key, the operator (command line), or Vouch itself. */
export const auditActors = ["user", "key", "operator", "system"] as const
export type AuditActor = (typeof auditActors)[number]
