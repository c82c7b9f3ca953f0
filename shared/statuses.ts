// The statuses of Vouch's records, in the words of the API. `app/components/badge.tsx` has their look on screens.

export const attestationStatuses = ["pending", "verified", "rejected", "expired"] as const
export type AttestationStatus = (typeof attestationStatuses)[number]

/** The statuses on screens, which split the API's `rejected` into refused and revoked. */
export const shownStatuses = ["pending", "verified", "rejected", "revoked", "expired"] as const
export type ShownStatus = (typeof shownStatuses)[number]

/**
 * How a wallet stands with a verification at a moment, more exactly than the status: whether a person reviews it, and
 * whether it expired before it was ever verified.
 */
export const standings = [
  "verified",
  "in_review",
  "pending",
  "expired",
  "session_expired",
  "revoked",
  "rejected",
] as const
export type Standing = (typeof standings)[number]

/** A provider's decisions, in the order of precedence between events of the same instant. */
export const decisions = ["in_review", "resubmission_requested", "expired", "approved", "rejected"] as const
export type Decision = (typeof decisions)[number]

/** A session's progress: `open` waits for the investor, `approved` for the chain. The last four are final. */
export const sessionStates = ["open", "in_review", "approved", "verified", "rejected", "cancelled", "expired"] as const
export type SessionState = (typeof sessionStates)[number]

/** The deletion of an erased person's data at a vendor. `kept`: until another wallet of the person is erased. */
const vendorRedactions = ["requested", "done", "not_supported", "kept"] as const
export type VendorRedaction = (typeof vendorRedactions)[number]

/** The states on screens. A request without an answer for hours shows as failed, although Vouch keeps asking. */
export const shownRedactions = [...vendorRedactions, "failed"] as const
export type ShownRedaction = (typeof shownRedactions)[number]

/**
 * Why a bulk revocation skipped an attestation: the error code of revoking it alone, or `status_changed` if its status
 * is no longer the one by which it was selected.
 */
export type RevocationFailure =
  | "attestation_not_found"
  | "insufficient_scope"
  | "review_open"
  | "internal_error"
  | "status_changed"

export const operationStatuses = ["queued", "submitted", "confirmed", "failed"] as const
export type OperationStatus = (typeof operationStatuses)[number]

/** `saved` may still land. Only `confirmed` has landed. */
export const transactionStatuses = ["saved", "confirmed", "failed", "expired"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export const keyStatuses = ["active", "expired", "revoked"] as const
export type KeyStatus = (typeof keyStatuses)[number]

/** The actor of an audit entry: a member, an API key, the operator (command line), or Vouch itself. */
export const auditActors = ["user", "key", "operator", "system"] as const
export type AuditActor = (typeof auditActors)[number]
