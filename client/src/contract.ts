// Generated from openapi.yaml by `npm run openapi:write`. Do not edit.
import type { AsyncOptions, EventPages, Pages, RequestOptions } from "./options.ts"

/** The codes of the API's errors. */
export type ErrorCode =
  | "malformed_json"
  | "malformed_request"
  | "invalid_idempotency_key"
  | "https_required"
  | "missing_api_key"
  | "invalid_api_key"
  | "expired_api_key"
  | "invalid_signature"
  | "insufficient_scope"
  | "wallet_sanctioned"
  | "wallet_frozen"
  | "wallet_barred"
  | "recovery_not_possible"
  | "treasury_insufficient"
  | "treasury_frozen"
  | "treasury_shared"
  | "amount_held"
  | "wallet_not_verified"
  | "country_not_allowed"
  | "not_accredited"
  | "holder_limit_reached"
  | "investor_limit_reached"
  | "balance_limit_exceeded"
  | "investor_balance_limit_exceeded"
  | "below_minimum"
  | "holding_period"
  | "flowback_blocked"
  | "supply_cap_exceeded"
  | "approver_missing"
  | "approval_rejected"
  | "not_requester"
  | "account_reopening_limit"
  | "sol_budget_exceeded"
  | "transfers_locked"
  | "mint_paused"
  | "route_not_found"
  | "attestation_not_found"
  | "sandbox_only"
  | "session_not_found"
  | "investor_not_found"
  | "erasure_not_found"
  | "operation_not_found"
  | "hold_not_found"
  | "recovery_not_found"
  | "snapshot_not_found"
  | "distribution_not_found"
  | "payout_not_found"
  | "approval_not_found"
  | "approval_policy_not_found"
  | "mint_config_not_found"
  | "schema_not_found"
  | "provider_not_found"
  | "webhook_endpoint_not_found"
  | "webhook_delivery_not_found"
  | "event_not_found"
  | "method_not_allowed"
  | "idempotency_in_progress"
  | "approval_ended"
  | "hold_ended"
  | "recovery_ended"
  | "snapshot_not_ready"
  | "distribution_ended"
  | "distribution_not_paying"
  | "payout_not_open"
  | "mint_config_exists"
  | "schema_exists"
  | "session_approved"
  | "review_open"
  | "webhook_endpoint_exists"
  | "webhook_endpoint_disabled"
  | "webhook_endpoint_limit"
  | "events_expired"
  | "events_rewound"
  | "payload_too_large"
  | "unsupported_media_type"
  | "validation_failed"
  | "invalid_public_key"
  | "wallet_cannot_sign"
  | "unknown_schema"
  | "unknown_mint_config"
  | "invalid_amount"
  | "insufficient_balance"
  | "payment_mint_refused"
  | "not_final_yet"
  | "same_wallet"
  | "holder_consent_required"
  | "idempotency_key_reused"
  | "quota_exceeded"
  | "rate_limited"
  | "internal_error"
  | "server_busy"
  | "chain_unavailable"
  | "database_unavailable"
  | "provider_unavailable"
  | "provider_not_configured"
  | "chain_not_configured"

/** Whole tokens, more than zero. A decimal string is always exact; a number is read from its digits as sent */
export type Amount = string | number

export interface Approval {
  /** The approval's id */
  approval_id: string
  /** What was requested */
  action: "mint" | "transfer" | "burn" | "force_transfer" | "hold_release" | "hold_execute" | "recovery" | "distribution" | "unfreeze" | "unpause" | "config_change" | "review_decision" | "session_cancel" | "attestation_revoke" | "attestation_revoke_bulk" | "erase" | "key_create" | "policy_change"
  /** What it is about: id of an operation, mint configuration, policy and so on, or a wallet's address */
  subject: string
  /** The body of the request */
  request: Record<string, unknown>
  /** SHA-256 of the request, the policy's version and the state of what it is about, base64url */
  digest: string
  /** The policy; null for the default one */
  policy_id: string | null
  /** How many members must approve */
  needed: number
  /** The approvals so far */
  given: Array<{
    /** The member's name */
    by: string
    /** UTC, ISO 8601, to the second */
    at: string
  }>
  /** Only `pending` is not final. `void`: the policy or what it is about has changed, so the request must be made again */
  state: "pending" | "approved" | "rejected" | "withdrawn" | "expired" | "void"
  /** Name of the key or member that requested it */
  requested_by: string
  /** The id of that key or member. `requested_by` in the list's query filters by it */
  requester_id: string
  /** Why it was rejected or became void */
  reason: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** UTC, ISO 8601, to the second */
  expires_at: string
  /** Null while pending */
  ended_at: string | null
  /** What came of it once approved, empty if it has no operation; null before */
  outcome: {
    /** The operation that it began */
    operation_id?: string
    /** The key, once its requester has collected the secret */
    key_id?: string
    /** The code with which it was refused once approved */
    error?: string
    detail?: string
  } | null
}

export interface ApprovalEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `approval.requested`: A request needs the approval of another member; `approval.decided`: A request was approved, or will not be done */
  type: "approval.requested" | "approval.decided"
  /** When it happened */
  occurred_at: string
  data: {
    /** The approval's id */
    approval_id: string
    /** What was requested */
    action: "mint" | "transfer" | "burn" | "force_transfer" | "hold_release" | "hold_execute" | "recovery" | "distribution" | "unfreeze" | "unpause" | "config_change" | "review_decision" | "session_cancel" | "attestation_revoke" | "attestation_revoke_bulk" | "erase" | "key_create" | "policy_change"
    /** `pending` when it is requested */
    state: "pending" | "approved" | "rejected" | "withdrawn" | "expired" | "void"
    /** The token; null if it is about none */
    mint_config: string | null
    /** The operation; null for other acts */
    operation_id: string | null
    /** The code with which it was refused once approved; null otherwise */
    error: string | null
  }
}

export interface ApprovalList {
  data: Array<Approval>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface ApprovalPolicy {
  /** The policy's id */
  policy_id: string
  actions: Array<"mint" | "transfer" | "burn" | "force_transfer" | "hold_release" | "hold_execute" | "recovery" | "distribution" | "while_paused" | "lot_backdate" | "unfreeze" | "unpause" | "config_change" | "review_decision" | "session_cancel" | "attestation_revoke" | "attestation_revoke_bulk" | "erase" | "key_create" | "policy_change">
  /** Only requests about this mint configuration; null for all */
  mint_config: string | null
  /** Only amounts of at least so many whole tokens; in a policy only about `attestation_revoke_bulk`, so many verifications. Null for every amount */
  min_amount: string | null
  /** How many members must approve */
  approvals: number
  roles: Array<"owner" | "compliance">
  /** How long a request waits */
  expires_in_hours: number
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** `awaiting_approval`: the change in this response waits for another member; the policy is unchanged */
  status: "active" | "awaiting_approval" | "deleted"
  /** The approval that the change waits for */
  approval_id: string | null
}

export interface ApprovalPolicyList {
  data: Array<ApprovalPolicy>
}

export interface Attestation {
  attestation_id: string
  status: AttestationStatus
  /** Wallet address, base58 */
  user_pubkey: string
  /** The schema's id */
  schema: string
  /** Opens the hosted page; null unless the key has the scope kyc:write */
  session_id: string | null
  /** The investor who owns the wallet */
  investor_id: string
  /** The session's externalId */
  external_id: string | null
  /** When its session was started */
  created_at: string
  /** When the provider approved or rejected it, or withdrew its approval; null if it did not */
  decided_at: string | null
  /** `review` if a member decided what the provider had left in review; null without decided_at */
  decided_by: "provider" | "review" | null
  /** When the investor proved with a signature that the wallet is theirs; null if they did not, or if the schema does not require it */
  wallet_proved_at: string | null
  /** Time of the decision; null until verified */
  issued_at: string | null
  /** Null until verified */
  expires_at: string | null
  /** Null unless revoked */
  revoked_at: string | null
  /** Internal reason why it ended early; never shown to the investor */
  revocation_reason: string | null
  /** Reason code that the hosted page shows; null if there is nothing to explain */
  public_reason: PublicReason | null
  /** The issuing transaction's signature, base58; null until verified */
  onchain_tx: string | null
  /** Null until the chain can no longer undo the issuance, about 13 seconds after it is verified */
  finalized_at: string | null
  onchain: OnchainProof | null
}

export interface AttestationEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `attestation.verified`: An attestation was confirmed on chain; `attestation.rejected`: A verification was rejected, cancelled or revoked; `attestation.expired`: An attestation or its session expired */
  type: "attestation.verified" | "attestation.rejected" | "attestation.expired"
  /** When it happened */
  occurred_at: string
  data: {
    attestation_id: string
    /** Wallet address, base58 */
    user_pubkey: string
    /** The schema's id */
    schema: string
    /** The person whose wallet it is */
    investor_id: string
    /** Time of the decision; null until verified */
    issued_at: string | null
    /** Null until verified */
    expires_at: string | null
    /** Null unless revoked */
    revoked_at: string | null
    /** Signature of the transaction, base58; null until confirmed */
    onchain_tx: string | null
  }
}

export interface AttestationList {
  data: Array<Attestation>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

/** `verified` once it is confirmed on chain; `rejected` and `expired` are final */
export type AttestationStatus = "pending" | "verified" | "rejected" | "expired"

export interface Balance {
  user_pubkey: string
  mint_config: string
  /** Whole tokens, without trailing zeros */
  amount: string
  /** Whole tokens that can be moved now: neither in transit from it nor held */
  available: string
  /** Whole tokens that holds keep from moving */
  held: string
  /** Whether the token account is frozen; true if there is none */
  frozen: boolean
  /** Since when and why the workspace has frozen the wallet, for this token or for every token; null if it has not */
  wallet_freeze: {
    /** UTC, ISO 8601, to the second */
    since: string
    /** Why it was frozen */
    reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  } | null
}

export interface BurnTokensRequest {
  /** Wallet address, base58 of 32 bytes */
  user_pubkey: string
  /** Configuration id */
  mint_config: string
  amount: Amount
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
  /** Whether the holder agreed, as with a redemption. If not, name a document */
  holder_consent: boolean
  /** SHA-256 of the document that justifies it, base64url. Vouch does not get the document */
  document_sha256?: string | undefined
  /** Holds of this wallet and token to take from first, in this order. The rest comes from what is available. Held tokens that are not named stay */
  holds?: Array<string> | undefined
  /** Act even though the token is paused, which stays paused. Such a request always needs an approval, also in a test workspace. Default: `false` */
  while_paused?: boolean | undefined
}

export interface CancelSessionRequest {
  /** Internal reason, shown in the attestation's record and never to the investor */
  reason?: string | undefined
}

export interface ChangeApprovalPolicyRequest {
  /** What needs approval */
  actions?: Array<"mint" | "transfer" | "burn" | "force_transfer" | "hold_release" | "hold_execute" | "recovery" | "distribution" | "while_paused" | "lot_backdate" | "unfreeze" | "unpause" | "config_change" | "review_decision" | "session_cancel" | "attestation_revoke" | "attestation_revoke_bulk" | "erase" | "key_create" | "policy_change"> | undefined
  /** Only requests about this mint configuration; null for all */
  mint_config?: string | null | undefined
  /** Only amounts of at least so many whole tokens; in a policy only about `attestation_revoke_bulk`, so many verifications. Null for every amount */
  min_amount?: string | null | undefined
  /** How many members must approve */
  approvals?: number | undefined
  /** Whose approval counts */
  roles?: Array<"owner" | "compliance"> | undefined
  /** How long a request waits */
  expires_in_hours?: number | undefined
}

export interface ChangeMintConfigRequest {
  /** Token name. Written on chain with the mint. Cannot change once the mint's creation has begun */
  name?: string | undefined
  /** Token symbol. Written on chain with the mint. Cannot change once the mint's creation has begun */
  symbol?: string | undefined
  /** Digits after the decimal point. Written on chain with the mint. Cannot change once the mint's creation has begun */
  decimals?: number | undefined
  /** Schema that holders must be verified for */
  required_schema?: string | undefined
  /** Accepted if unchanged. Change it in the dashboard */
  transfer_mode?: "agent" | "holder" | undefined
  rules?: MintRulesChangeRequest | undefined
}

export interface ChangeSchemaRequest {
  /** Display name. Its first 160 bytes are written on chain with the first attestation */
  name?: string | undefined
  /** Days that a verification is valid, from the provider's decision */
  validity_days?: number | undefined
  /** Whether investors must prove with a signature that the wallet is theirs. Null leaves it to the provider: required for real people, not in tests */
  wallet_proof?: boolean | null | undefined
  /** How many days before the expiry Vouch sends attestation.expiring and reminds investors who want it: at most five */
  reminder_days?: Array<number> | undefined
}

export interface ChangeWebhookEndpointRequest {
  /** Where events are sent: an https address on the public Internet */
  url?: string | undefined
  /** Your own description */
  description?: string | null | undefined
  /** Event types to send. Null means all types, including ones added later */
  types?: Array<"session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided"> | null | undefined
  /** Whether an event is sent only after all earlier ones were delivered or given up */
  ordered?: boolean | undefined
  /** False disables it */
  enabled?: boolean | undefined
}

export interface CreateApprovalPolicyRequest {
  /** What needs approval */
  actions: Array<"mint" | "transfer" | "burn" | "force_transfer" | "hold_release" | "hold_execute" | "recovery" | "distribution" | "while_paused" | "lot_backdate" | "unfreeze" | "unpause" | "config_change" | "review_decision" | "session_cancel" | "attestation_revoke" | "attestation_revoke_bulk" | "erase" | "key_create" | "policy_change">
  /** Only requests about this mint configuration; null for all */
  mint_config?: string | null | undefined
  /** Only amounts of at least so many whole tokens; in a policy only about `attestation_revoke_bulk`, so many verifications. Null for every amount */
  min_amount?: string | null | undefined
  /** How many members must approve */
  approvals: number
  /** Whose approval counts */
  roles?: Array<"owner" | "compliance"> | undefined
  /** How long a request waits. Default: `72` */
  expires_in_hours?: number | undefined
}

export interface CreateDistributionRequest {
  /** A snapshot that is ready. Its holders are paid */
  snapshot_id: string
  /** `in_kind`: new tokens of the same kind. `stablecoin`: a payment mint, out of the treasury. `external`: you pay elsewhere, and Vouch keeps the books */
  settlement: "in_kind" | "stablecoin" | "external"
  /** For `stablecoin`: one of the mints in GET /treasury */
  payment_mint?: string | undefined
  /** For `external`: the decimals of its amounts. If left out, 2 */
  decimals?: number | undefined
  /** What to distribute, to the last unit, in proportion to what wallets held. This or per_unit */
  total?: Amount | undefined
  /** What each whole token gets */
  per_unit?: Amount | undefined
  /** Smaller payouts are not paid, and add to the remainder */
  minimum?: Amount | undefined
  /** Wallets that get nothing, such as your own */
  exclude?: Array<string> | undefined
  /** Why. Default: `dividend` */
  reason_code?: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other" | undefined
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
}

export interface CreateMintConfigRequest {
  /** Configuration id */
  id: string
  /** Token name, also on chain */
  name: string
  /** Token symbol, also on chain */
  symbol: string
  /** Digits after the decimal point */
  decimals: number
  /** Schema that holders must be verified for */
  required_schema: string
  /** `agent`: accounts stay frozen, and tokens move only through Vouch. `holder`: verified holders can also move them directly. Default: `agent` */
  transfer_mode?: "agent" | "holder" | undefined
  rules?: MintRulesRequest | undefined
}

export interface CreateSchemaRequest {
  /** The schema's id, which cannot change */
  id: string
  /** Display name. Its first 160 bytes are written on chain with the first attestation */
  name: string
  /** Days that a verification is valid, from the provider's decision */
  validity_days: number
  /** Whether investors must prove with a signature that the wallet is theirs. Null leaves it to the provider: required for real people, not in tests */
  wallet_proof?: boolean | null | undefined
  /** How many days before the expiry Vouch sends attestation.expiring and reminds investors who want it: at most five */
  reminder_days?: Array<number> | undefined
}

export interface CreateSnapshotRequest {
  /** Configuration id */
  mint_config: string
  /** The record date, to the second */
  record_at: string
  /** Your name for it */
  name: string
}

export interface CreateWebhookEndpointRequest {
  /** Where events are sent: an https address on the public Internet */
  url: string
  /** Your own description */
  description?: string | null | undefined
  /** Event types to send. Null means all types, including ones added later */
  types?: Array<"session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided"> | null | undefined
  /** Whether an event is sent only after all earlier ones were delivered or given up. Default: `false` */
  ordered?: boolean | undefined
}

export interface DecideTestSessionRequest {
  /** The sandbox's decision */
  decision: "in_review" | "resubmission_requested" | "expired" | "approved" | "rejected"
  /** Facts that rules may use. Nothing else about a person is stored. */
  claims?: {
    /** ISO 3166-1 alpha-2 or alpha-3, XK for Kosovo, or a passport code such as `D` or `XXA`. Stored as alpha-2. A passport code that does not stand for a country is shown to members and satisfies no country rule. */
    country?: string | undefined
    age_over_18?: boolean | undefined
    accredited?: boolean | undefined
  } | undefined
  /** Reason code that the hosted page shows to an investor who was rejected or must submit again */
  public_reason?: PublicReason | undefined
}

export interface DeletedWebhookEndpoint {
  /** The endpoint's id */
  endpoint_id: string
}

export interface Distribution {
  /** The distribution's id */
  distribution_id: string
  /** The snapshot whose holders are paid */
  snapshot_id: string
  /** The snapshot's token */
  mint_config: string
  /** The snapshot's record date: who held the token at the end of this second is paid */
  record_at: string
  /** False if it is not known what holders had moved themselves at the record date */
  complete: boolean
  /** `in_kind`: new tokens of the same kind. `stablecoin`: a payment mint, out of the treasury. `external`: you pay elsewhere, and Vouch keeps the books */
  settlement: "in_kind" | "stablecoin" | "external"
  /** Address of the payment mint; null unless the settlement is `stablecoin` */
  payment_mint: string | null
  /** Decimals of the amounts */
  decimals: number
  /** What each whole token gets, as requested; null if the request named a total */
  per_unit: string | null
  /** Smaller payouts are not paid; null if the request named none */
  minimum: string | null
  /** Wallets that get nothing */
  exclude: Array<string>
  /** Why it is paid */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference */
  reference: string
  /** `draft`: nothing is paid, and the payouts show what would be. `completed`: nothing is left to begin; payouts that are withheld or failed stay owed and can be released or retried. `cancelled` is final */
  state: "draft" | "awaiting_approval" | "paying" | "paused" | "completed" | "cancelled"
  /** Why Vouch paused it; null otherwise */
  paused_because: {
    error: string
    detail: string
  } | null
  /** The approval that it waits for or was started with; null if no policy binds it */
  approval_id: string | null
  /** Number of payouts */
  payouts: number
  /** Whole tokens that the paid wallets held */
  units: string
  /** What is distributed: `allocated` and `remainder` */
  total: string
  /** The sum of all payouts: the six sums below */
  allocated: string
  /** What no one gets, such as payouts below the minimum */
  remainder: string
  /** The sum of payouts that have not begun */
  pending: string
  /** The sum of payouts that are owed and cannot be paid now */
  withheld: string
  /** The sum of payouts that are on their way */
  submitted: string
  /** The sum of payouts that were paid on chain */
  paid: string
  /** The sum of payouts that you paid elsewhere */
  external_paid: string
  /** The sum of payouts whose operation failed; they are owed */
  failed: string
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** When paying began; null before */
  started_at: string | null
  /** When it was completed or cancelled; null before */
  ended_at: string | null
}

export interface DistributionEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `distribution.updated`: A distribution to holders was created, or its state changed */
  type: "distribution.updated"
  /** When it happened */
  occurred_at: string
  data: {
    /** The distribution's id */
    distribution_id: string
    /** Mint configuration */
    mint_config: string
    /** Its new state */
    state: "draft" | "awaiting_approval" | "paying" | "paused" | "completed" | "cancelled"
    /** The code of why Vouch paused it; null otherwise */
    error: string | null
  }
}

export interface DistributionList {
  data: Array<Distribution>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface Erasure {
  /** The erasure's id */
  erasure_id: string
  /** The investor whose data was erased. For one of several wallets, a new investor who has only this wallet. */
  investor_id: string
  user_pubkeys: Array<string>
  /** Number of attestations whose personal data was erased */
  attestations: number
  /** Number of these that were pending or verified, and ended */
  revoked: number
  /** UTC, ISO 8601, to the second */
  erased_at: string
  /** Requests to vendors to delete data; empty if no vendor has any */
  vendor_redactions: Array<VendorRedaction>
}

/** Something that happened in the workspace */
export type Event = SessionEvent | AttestationEvent | ExpiringEvent | OperationEvent | TokenEvent | TokenChangeEvent | InvestorEvent | WalletFreezeEvent | HoldEvent | RecoveryEvent | SnapshotEvent | DistributionEvent | QuotaEvent | ReviewEvent | ApprovalEvent

export interface EventList {
  data: Array<Event>
  /** Sequence number of the workspace's latest event; 0 before the first */
  last_sequence: number
  /** Cursor of the workspace's latest event; `0` before the first */
  last_cursor: string
}

export interface ExecuteHoldRequest {
  /** The recipient */
  to_pubkey: string
  /** SHA-256 of the document that justifies it, base64url. Vouch does not get the document */
  document_sha256: string
  /** Act even though the token is paused, which stays paused. Such a request always needs an approval, also in a test workspace. Default: `false` */
  while_paused?: boolean | undefined
}

export interface ExpiringEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `attestation.expiring`: An attestation is about to expire */
  type: "attestation.expiring"
  /** When it happened */
  occurred_at: string
  data: {
    attestation_id: string
    /** Wallet address, base58 */
    user_pubkey: string
    /** The schema's id */
    schema: string
    /** The person whose wallet it is */
    investor_id: string
    /** UTC, ISO 8601, to the second */
    expires_at: string
    /** How many days before the expiry the event was sent */
    days: number
  }
}

export interface ForceTransferTokensRequest {
  /** Wallet address, base58 of 32 bytes */
  from_pubkey: string
  /** Wallet address, base58 of 32 bytes */
  to_pubkey: string
  /** Configuration id */
  mint_config: string
  amount: Amount
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
  /** SHA-256 of the document that justifies it, base64url. Vouch does not get the document */
  document_sha256: string
  /** Holds of this wallet and token to take from first, in this order. The rest comes from what is available. Held tokens that are not named stay */
  holds?: Array<string> | undefined
  /** Act even though the token is paused, which stays paused. Such a request always needs an approval, also in a test workspace. Default: `false` */
  while_paused?: boolean | undefined
}

/** What the request would answer now */
export interface ForetoldAnswer {
  /** 200 if it would be carried out, 202 if it would wait for members, else the error's status */
  status: number
  /** The code of the refusal; null if allowed */
  error: string | null
  /** Its detail; null if allowed */
  detail: string | null
}

export interface FreezeWalletRequest {
  /** Wallet address, base58 of 32 bytes */
  user_pubkey: string
  /** Only for this token. If left out: every token of the workspace, including those created later */
  mint_config?: string | undefined
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
}

export interface Health {
  /** `ok` when every check is `ok` */
  status: "ok" | "degraded"
  /** Server version */
  version: string
  checks: {
    database: string
    chain: string
    worker: string
    /** Absent if no list is configured */
    screening?: string
  }
  /** By mode; empty until a worker has reported. Absent from the short report */
  ledger?: Array<LedgerHealth>
  /** The screening lists that this process uses. Absent without any, and from the short report */
  screening?: Array<ScreeningList>
}

export interface Hold {
  /** The hold's id */
  hold_id: string
  /** Wallet address, base58 */
  user_pubkey: string
  /** Mint configuration */
  mint_config: string
  /** Whole tokens that it was placed for */
  amount: string
  /** Whole tokens that it still holds: less than `amount` if some were taken, 0 once it has ended */
  remaining: string
  /** `pending`: not on chain yet. Only `pending` and `active` are not final. `executed`: burns or forced transfers took all of it. `failed`: it could not be placed */
  state: "pending" | "active" | "released" | "executed" | "expired" | "failed"
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference */
  reference: string
  /** When it ends by itself; null for never */
  expires_at: string | null
  /** The token account that holds the tokens; null in agent mode, in which Vouch's records hold them */
  onchain_account: string | null
  /** The newest operation that placed it, released it, took from it or moved it to another wallet; null if there is none */
  operation_id: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** Null until it ends */
  ended_at: string | null
}

export interface HoldEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `hold.created`: Part of a wallet's balance was held; `hold.released`: A hold was released; `hold.executed`: Burns or forced transfers took all that a hold held; `hold.expired`: A hold expired */
  type: "hold.created" | "hold.released" | "hold.executed" | "hold.expired"
  /** When it happened */
  occurred_at: string
  data: {
    hold_id: string
    /** Wallet address, base58 */
    user_pubkey: string
    /** The person whose wallet it is */
    investor_id: string | null
    /** Mint configuration */
    mint_config: string
    /** Whole tokens that the hold was placed for */
    amount: string
    /** Why they were held */
    reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
    /** The newest operation that placed it, released it, took from it or moved it to another wallet; null if there is none */
    operation_id: string | null
  }
}

export interface HoldExecution {
  /** The hold's id */
  hold_id: string
  /** Wallet address, base58 */
  user_pubkey: string
  /** Mint configuration */
  mint_config: string
  /** Whole tokens that it was placed for */
  amount: string
  /** Whole tokens that it still holds: less than `amount` if some were taken, 0 once it has ended */
  remaining: string
  /** `pending`: not on chain yet. Only `pending` and `active` are not final. `executed`: burns or forced transfers took all of it. `failed`: it could not be placed */
  state: "pending" | "active" | "released" | "executed" | "expired" | "failed"
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference */
  reference: string
  /** When it ends by itself; null for never */
  expires_at: string | null
  /** The token account that holds the tokens; null in agent mode, in which Vouch's records hold them */
  onchain_account: string | null
  /** The newest operation that placed it, released it, took from it or moved it to another wallet; null if there is none */
  operation_id: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** Null until it ends */
  ended_at: string | null
  /** `confirmed` and `failed` are final. `awaiting_approval`: a policy of yours requires further members, and nothing is reserved yet */
  status: "queued" | "submitted" | "confirmed" | "failed" | "awaiting_approval"
  /** The approval that it waits for or was begun with; null if no policy binds it */
  approval_id: string | null
}

export interface HoldList {
  data: Array<Hold>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface HoldRelease {
  /** The hold's id */
  hold_id: string
  /** Wallet address, base58 */
  user_pubkey: string
  /** Mint configuration */
  mint_config: string
  /** Whole tokens that it was placed for */
  amount: string
  /** Whole tokens that it still holds: less than `amount` if some were taken, 0 once it has ended */
  remaining: string
  /** `pending`: not on chain yet. Only `pending` and `active` are not final. `executed`: burns or forced transfers took all of it. `failed`: it could not be placed */
  state: "pending" | "active" | "released" | "executed" | "expired" | "failed"
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference */
  reference: string
  /** When it ends by itself; null for never */
  expires_at: string | null
  /** The token account that holds the tokens; null in agent mode, in which Vouch's records hold them */
  onchain_account: string | null
  /** The newest operation that placed it, released it, took from it or moved it to another wallet; null if there is none */
  operation_id: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** Null until it ends */
  ended_at: string | null
  /** `confirmed` is final: the hold is released. `awaiting_approval`: a policy of yours requires further members, and the hold still binds */
  status: "queued" | "submitted" | "confirmed" | "failed" | "awaiting_approval"
  /** The approval that it waits for or was begun with; null if no policy binds it */
  approval_id: string | null
}

export interface Investor {
  /** The investor's id */
  investor_id: string
  /** The externalId that identifies them; null if only their wallet does */
  external_id: string | null
  /** Their wallets, newest first, at most 100 */
  wallets: Array<string>
  /** When their first session was started */
  created_at: string
  /** Null unless their personal data was erased */
  erased_at: string | null
}

export interface InvestorDetail {
  /** The investor's id */
  investor_id: string
  /** The externalId that identifies them; null if only their wallet does */
  external_id: string | null
  /** Their wallets, newest first, at most 100 */
  wallets: Array<string>
  /** When their first session was started */
  created_at: string
  /** Null unless their personal data was erased */
  erased_at: string | null
  /** The status of each wallet for each schema, as in GET /kyc/status/{pubkey} */
  verifications: Array<{
    /** Wallet address, base58 */
    user_pubkey: string
    /** The schema's id */
    schema: string
    status: AttestationStatus
    /** The attestation that determines the status */
    attestation_id: string
    /** Null until verified */
    expires_at: string | null
    /** The issuing transaction's signature, base58; null until verified */
    onchain_tx: string | null
  }>
}

export interface InvestorEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `investor.frozen`: A wallet's tokens were frozen because it is on a list; `investor.unfrozen`: A wallet's tokens are no longer frozen because of a list */
  type: "investor.frozen" | "investor.unfrozen"
  /** When it happened */
  occurred_at: string
  data: {
    /** Wallet address, base58 */
    user_pubkey: string
    /** The person whose wallet it is */
    investor_id: string | null
  }
}

export interface InvestorList {
  data: Array<Investor>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface Key {
  /** The key's id */
  key_id: string
  /** The key's name */
  name: string
  /** The account's name */
  account: string
  /** The key's workspace */
  workspace_id: string
  /** The workspace's mode */
  mode: "test" | "live"
  /** What the key may do */
  scopes: Array<"kyc:read" | "kyc:write" | "investor:erase" | "investor:recover" | "attestation:read" | "attestation:write" | "token:read" | "token:mint" | "token:transfer" | "token:burn" | "register:write" | "distribution:write" | "token:control" | "config:write" | "schema:write" | "events:read" | "webhooks:write">
  /** Null if it does not expire */
  expires_at: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
}

export interface LedgerHealth {
  mode: "live" | "test"
  /** Highest slot read so far */
  slot: number | null
  /** Time since the slot last increased */
  slot_age_seconds: number | null
  /** The chain's clock minus the database's, if it differs by more than a slot */
  clock_difference_seconds: number | null
  /** Age of the oldest unfinished operation; null without one */
  oldest_operation_seconds: number | null
  /** Age of the oldest transaction that may still land; null without one */
  oldest_transaction_seconds: number | null
  /** Transactions that may or may not have landed */
  in_doubt: number
  /** Time since the oldest of the workspaces' last reconciliations; null before the first */
  audit_age_seconds: number | null
  /** Differences between the chain and the database found by the last reconciliations */
  audit_differences: number
  /** Tokens in holder mode whose history no node has had, or no two agree on, for ten minutes */
  missing_histories: number
  /** Tokens in holder mode for which it is no longer known what holders move */
  lost_histories: number
  /** The RPC nodes in order; null for a node that has not answered */
  nodes: Array<{
    /** Version of its software */
    version: string | null
    /** Whether it lists the transactions of an address */
    keeps_history: boolean
    /** First slot whose block it has */
    first_slot: number
    /** Whether its Token-2022 has PermissionedBurn, which new mints in holder mode then get. Null if it does not say */
    permissioned_burn: boolean | null
  } | null>
  /** Failed calls since the workers started, by method */
  rpc_errors: Record<string, number>
}

export interface Lot {
  lot_id: string
  mint_config: string
  /** Whole tokens that are left of it */
  amount: string
  /** When the wallet acquired them; null if that is not known */
  acquired_at: string | null
  /** The exemption from registration under which the tokens were issued */
  exemption: "none" | "reg_d_506b" | "reg_d_506c" | "reg_s" | "reg_a" | "eu_exempt"
  /** Whether the token's holding period keeps them from being transferred now */
  locked: boolean
  /** When that ends. Null if they are not locked, or if that is not known: they have no date, or their holder has no country */
  locked_until: string | null
}

export interface LotList {
  data: Array<Lot>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface MarkPayoutPaidRequest {
  /** Your reference of the payment. No personal data: it is kept */
  external_reference: string
}

export interface MintConfig {
  /** Configuration id */
  id: string
  /** Token name, also on chain */
  name: string
  /** Token symbol, also on chain */
  symbol: string
  /** Digits after the decimal point */
  decimals: number
  /** Schema that holders must be verified for */
  required_schema: string
  /** `agent`: accounts stay frozen, and tokens move only through Vouch. `holder`: verified holders can also move them directly */
  transfer_mode: "agent" | "holder"
  rules: MintRules
  /** Address of the Token-2022 mint; null until it is on chain */
  mint: string | null
  /** Token-2022 extensions of the mint, fixed when it is created; null until it is on chain. `permissioned_burn`: holders cannot burn */
  extensions: Array<"pausable" | "scaled_ui_amount" | "permissioned_burn"> | null
  /** Whole tokens minted */
  supply: string
  /** Wallets that hold the token */
  holders: number
  /** Investors who hold the token; null unless a rule of the token counts them */
  investors: number | null
  /** Whether minting and transfers are stopped */
  paused: boolean
  /** UTC, ISO 8601, to the second */
  created_at: string
}

export interface MintConfigList {
  data: Array<MintConfig>
}

/** Every rule is optional; a rule that is left out does not apply */
export interface MintRules {
  /** Only investors from these countries */
  allowed_countries?: Array<string>
  /** No investors from these countries */
  blocked_countries?: Array<string>
  /** Only accredited investors */
  require_accredited?: boolean
  /** Maximum supply, in whole tokens */
  max_supply?: string
  /** Maximum number of holders */
  max_holders?: number
  /** Maximum number of investors, each with any number of wallets */
  max_investors?: number
  /** Maximum number of investors from a country, for each country that has a limit */
  max_investors_by_country?: Record<string, number>
  /** Maximum number of investors who are not accredited */
  max_non_accredited_investors?: number
  /** Maximum balance of one wallet, in whole tokens */
  max_balance_per_wallet?: string
  /** Maximum balance of all wallets of one investor, in whole tokens */
  max_balance_per_investor?: string
  /** Days for which a holder must have had tokens before transferring them: `us` for investors from the United States, `non_us` for all others */
  holding_period_days?: {
    us: number
    non_us: number
  }
  /** Minimum balance of a wallet that holds the token, in whole tokens */
  min_balance?: string
  /** No transfers before this time; minting is not affected */
  transfers_locked_until?: string
  /** No transfers from investors outside the United States to investors from there before this time */
  no_flowback_until?: string
}

/** A rule that is left out stays unchanged; null removes it */
export interface MintRulesChangeRequest {
  /** Only investors from these countries; null removes the rule */
  allowed_countries?: Array<string> | null | undefined
  /** No investors from these countries; null removes the rule */
  blocked_countries?: Array<string> | null | undefined
  /** Only accredited investors; null removes the rule */
  require_accredited?: boolean | null | undefined
  /** Maximum supply, in whole tokens; null removes the rule */
  max_supply?: string | null | undefined
  /** Maximum number of holders; null removes the rule */
  max_holders?: number | null | undefined
  /** Maximum number of investors, each with any number of wallets; null removes the rule */
  max_investors?: number | null | undefined
  /** Maximum number of investors from a country, for each country that has a limit; null removes the rule */
  max_investors_by_country?: Record<string, number> | null | undefined
  /** Maximum number of investors who are not accredited; null removes the rule */
  max_non_accredited_investors?: number | null | undefined
  /** Maximum balance of one wallet, in whole tokens; null removes the rule */
  max_balance_per_wallet?: string | null | undefined
  /** Maximum balance of all wallets of one investor, in whole tokens; null removes the rule */
  max_balance_per_investor?: string | null | undefined
  /** Days for which a holder must have had tokens before transferring them: `us` for investors from the United States, `non_us` for all others; null removes the rule */
  holding_period_days?: {
    us: number
    non_us: number
  } | null | undefined
  /** Minimum balance of a wallet that holds the token, in whole tokens; null removes the rule */
  min_balance?: string | null | undefined
  /** No transfers before this time; minting is not affected; null removes the rule */
  transfers_locked_until?: string | null | undefined
  /** No transfers from investors outside the United States to investors from there before this time; null removes the rule */
  no_flowback_until?: string | null | undefined
}

/** Every rule is optional; a rule that is left out does not apply */
export interface MintRulesRequest {
  /** Only investors from these countries */
  allowed_countries?: Array<string> | undefined
  /** No investors from these countries */
  blocked_countries?: Array<string> | undefined
  /** Only accredited investors */
  require_accredited?: boolean | undefined
  /** Maximum supply, in whole tokens */
  max_supply?: string | undefined
  /** Maximum number of holders */
  max_holders?: number | undefined
  /** Maximum number of investors, each with any number of wallets */
  max_investors?: number | undefined
  /** Maximum number of investors from a country, for each country that has a limit */
  max_investors_by_country?: Record<string, number> | undefined
  /** Maximum number of investors who are not accredited */
  max_non_accredited_investors?: number | undefined
  /** Maximum balance of one wallet, in whole tokens */
  max_balance_per_wallet?: string | undefined
  /** Maximum balance of all wallets of one investor, in whole tokens */
  max_balance_per_investor?: string | undefined
  /** Days for which a holder must have had tokens before transferring them: `us` for investors from the United States, `non_us` for all others */
  holding_period_days?: {
    us: number
    non_us: number
  } | undefined
  /** Minimum balance of a wallet that holds the token, in whole tokens */
  min_balance?: string | undefined
  /** No transfers before this time; minting is not affected */
  transfers_locked_until?: string | undefined
  /** No transfers from investors outside the United States to investors from there before this time */
  no_flowback_until?: string | undefined
}

export interface MintTokensRequest {
  /** Wallet address, base58 of 32 bytes */
  user_pubkey: string
  /** Configuration id */
  mint_config: string
  amount: Amount
  /** Exemption and date to record, for holding periods */
  lot?: {
    /** The exemption from registration under which the tokens are issued; none if left out */
    exemption?: "none" | "reg_d_506b" | "reg_d_506c" | "reg_s" | "reg_a" | "eu_exempt" | undefined
    /** When the holder acquired them, if that is in the past. Such a request always needs an approval. Leave it out for the time at which they are minted */
    acquired_at?: string | undefined
  } | undefined
}

export interface OnchainProof {
  /** localnet, devnet, testnet, mainnet-beta or unknown */
  cluster: string
  /** The token program (Token-2022) */
  program: string
  /** The credential's mint */
  mint: string
  /** The wallet's token account, which holds one unit */
  token_account: string
  /** The issuer, which signs every change of the credential */
  authority: string
  /** base64url of SHA-256 of the record's canonical JSON; the memo contains it */
  commitment: string
  /** Random part of the commitment's input, base64url; null once erased */
  salt: string | null
}

export interface Operation {
  /** The operation's id */
  operation_id: string
  kind: "mint" | "transfer" | "burn" | "force_transfer" | "hold" | "release"
  /** `confirmed` and `failed` are final. `awaiting_approval`: a policy of yours requires further members, and nothing is reserved yet */
  status: "queued" | "submitted" | "confirmed" | "failed" | "awaiting_approval"
  /** Mint configuration */
  mint_config: string
  /** Mint: the recipient. Burn, hold and release: the holder */
  user_pubkey?: string
  /** Transfer and forced transfer: the sender */
  from_pubkey?: string
  /** Transfer and forced transfer: the recipient */
  to_pubkey?: string
  /** Whole tokens, without trailing zeros */
  amount: string
  /** Address of the Token-2022 mint */
  mint: string | null
  /** Signature of the transaction, base58; null until confirmed */
  onchain_tx: string | null
  /** Why it failed; null unless it failed */
  error: {
    error: string
    detail: string
  } | null
  /** Burn, forced transfer, hold and release: why. Null for other kinds, and for what a restored database has lost */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other" | null
  /** Burn, forced transfer, hold and release: your reference */
  reference: string | null
  /** SHA-256 of the document that justifies it, base64url; null if none was named */
  document_sha256: string | null
  /** Burn: whether the holder agreed. Null for other kinds */
  holder_consent: boolean | null
  /** The hold that it places, releases or executes; null for other operations */
  hold_id: string | null
  /** Forced transfer: the recovery of a lost wallet that it is part of; null for other operations */
  recovery_id: string | null
  /** Mint: the payout of a distribution that it pays; null for other operations */
  payout_id: string | null
  /** The approval that it waits for or was begun with; null if no policy binds it */
  approval_id: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** Null until confirmed */
  confirmed_at: string | null
  /** Null until the chain can no longer undo it, about 13 seconds after it is confirmed */
  finalized_at: string | null
  /** What it has cost on chain so far; null until the first of its transactions is counted */
  cost: {
    /** Its share of its transactions' fees */
    fee_lamports: string
    /** Rent of the accounts that it opened */
    rent_lamports: string
  } | null
}

export interface OperationEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `operation.confirmed`: Tokens were minted, moved or burned on chain; `operation.failed`: Tokens could not be minted, moved or burned */
  type: "operation.confirmed" | "operation.failed"
  /** When it happened */
  occurred_at: string
  data: {
    operation_id: string
    kind: "mint" | "transfer" | "burn" | "force_transfer" | "hold" | "release"
    /** Mint configuration */
    mint_config: string
    /** The recipient; of a burn, a hold and a release, the holder */
    user_pubkey: string
    /** The sender of a transfer; null for other kinds */
    from_pubkey: string | null
    /** Whole tokens, without trailing zeros */
    amount: string
    /** Signature of the transaction, base58; null until confirmed */
    onchain_tx: string | null
    /** Error code; null unless it failed */
    error: string | null
  }
}

export interface OperationList {
  data: Array<Operation>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface Payout {
  /** The payout's id, which its transaction's memo names */
  payout_id: string
  /** The distribution's id */
  distribution_id: string
  /** The wallet that held the token on the record date */
  user_pubkey: string
  /** The wallet that gets it instead, because the holder's was lost and recovered; null otherwise */
  paid_to: string | null
  /** The investor who owned the wallet when the distribution was created; null unless the key has kyc:read or attestation:read */
  investor_id: string | null
  /** Your own id for the investor; null under the same conditions */
  external_id: string | null
  /** Whole tokens that it held */
  units: string
  /** What it gets */
  amount: string
  /** `pending`: not begun. `withheld`: it cannot be paid now, and withheld_reason says why. `submitted`: on its way. `failed`: its operation failed. Only `paid` and `external_paid` are final; everything else is owed */
  status: "pending" | "withheld" | "submitted" | "paid" | "failed" | "external_paid"
  /** Why it is withheld or failed: the code of a rule, or of the treasury or the recipient's account, such as `treasury_insufficient` or `recipient_account_frozen`; null otherwise */
  withheld_reason: string | null
  /** The same for people; null otherwise */
  detail: string | null
  /** The newest operation that pays it; null before one */
  operation_id: string | null
  /** Signature of the transaction that paid it, base58; null unless `paid` */
  onchain_tx: string | null
  /** Your reference of the payment, if you marked it as paid; null otherwise */
  external_reference: string | null
  /** When it was paid or marked as paid; null before */
  paid_at: string | null
}

export interface PayoutList {
  data: Array<Payout>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface PlaceHoldRequest {
  /** Wallet address, base58 of 32 bytes */
  user_pubkey: string
  /** Configuration id */
  mint_config: string
  amount: Amount
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
  /** When the hold ends by itself; if left out, never */
  expires_at?: string | undefined
}

export interface Preflight {
  /** Whether the request would be accepted now: at once, or once members have approved it */
  allowed: boolean
  answer: ForetoldAnswer
  /** Every rule that applies, in the order in which they are checked */
  rules: Array<RuleFinding>
  /** Whole tokens that can be moved now: neither in transit from it nor held, of the sender. Null for a mint, and while only the chain knows the balance */
  available: string | null
  /** The part of `available` that no transfer may take before a later time. A burn or a forced transfer may. Null if `available` is */
  locked: string | null
  /** Whole tokens of the sender that holds keep from moving; null for a mint */
  held: string | null
  /** When the next of the locked tokens unlock; null if none are locked */
  next_unlock_at: string | null
  /** How many other members would have to approve it */
  approvals_needed: number
}

export interface PreflightMovementRequest {
  /** The request that you would send. The other fields are those of its body, and no others are allowed */
  kind: "mint" | "transfer" | "burn" | "force_transfer"
  /** The wallet of a mint or a burn */
  user_pubkey?: string | undefined
  /** The sender of a transfer or a forced transfer */
  from_pubkey?: string | undefined
  /** The recipient of a transfer or a forced transfer */
  to_pubkey?: string | undefined
  /** Configuration id */
  mint_config: string
  amount: Amount
  /** Only of a burn or a forced transfer, as there */
  reason_code?: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other" | undefined
  /** Only of a burn or a forced transfer, as there */
  reference?: string | undefined
  /** Only of a burn or a forced transfer, as there */
  document_sha256?: string | undefined
  /** Only of a burn, as there */
  holder_consent?: boolean | undefined
  /** Only of a burn or a forced transfer, as there */
  holds?: Array<string> | undefined
  /** Exemption and date to record, for holding periods */
  lot?: {
    /** The exemption from registration under which the tokens are issued; none if left out */
    exemption?: "none" | "reg_d_506b" | "reg_d_506c" | "reg_s" | "reg_a" | "eu_exempt" | undefined
    /** When the holder acquired them, if that is in the past. Such a request always needs an approval. Leave it out for the time at which they are minted */
    acquired_at?: string | undefined
  } | undefined
  /** Only of a burn or a forced transfer, as there */
  while_paused?: boolean | undefined
}

/** Reason code that the investor sees */
export type PublicReason = "documents_unreadable" | "information_mismatch" | "not_eligible" | "withdrawn" | "resubmit" | "unverifiable"

export interface QuotaEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `quota.threshold`: 80 % or all of the month's quota is used */
  type: "quota.threshold"
  /** When it happened */
  occurred_at: string
  data: {
    /** Start of the month */
    period_start: string
    /** 80 or 100 */
    percent: number
    /** Units of quota in use: pending attestations, and those that were verified */
    used: number
    /** Attestations included in the month */
    included: number
  }
}

export interface Recovery {
  /** The recovery's id */
  recovery_id: string
  /** The investor whose wallets they are */
  investor_id: string
  /** The wallet whose tokens move */
  lost_wallet: string
  /** The wallet that gets them; null until you name one */
  new_wallet: string | null
  /** `lost_wallet`: the investor no longer has its key; `compromised`: another person has it; `estate`: the investor has died */
  reason_code: "lost_wallet" | "compromised" | "estate"
  /** Your reference */
  reference: string
  /** SHA-256 of the document that justifies it, base64url; null if none was named */
  document_sha256: string | null
  /** `barred`: nothing enters or leaves the lost wallet, and the recovery waits for a new wallet. `completed`, `rejected` and `failed` are final */
  state: "barred" | "awaiting_approval" | "in_progress" | "completed" | "rejected" | "failed"
  /** Since when this recovery bars the lost wallet; null if it does not */
  barred_since: string | null
  /** The approval that it waits for or was begun with; null if no policy binds it */
  approval_id: string | null
  /** What it moves. Empty for keys without `token:read` */
  positions: Array<RecoveryPosition>
  /** Why it failed or was rejected; null otherwise */
  error: {
    error: string
    detail: string
  } | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** When the tokens began to move; null before */
  begun_at: string | null
  /** Null until it has ended */
  ended_at: string | null
}

export interface RecoveryEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `recovery.updated`: A recovery of a lost wallet was requested, began or ended */
  type: "recovery.updated"
  /** When it happened */
  occurred_at: string
  data: {
    /** The recovery's id */
    recovery_id: string
    /** Its new state */
    state: "barred" | "awaiting_approval" | "in_progress" | "completed" | "rejected" | "failed"
    /** The person whose wallet it is */
    investor_id: string
    /** The lost wallet */
    user_pubkey: string
    /** The wallet that gets its tokens; null until one is named */
    new_wallet: string | null
    /** The code of why it failed or was rejected; null otherwise */
    error: string | null
  }
}

export interface RecoveryList {
  data: Array<Recovery>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface RecoveryPosition {
  /** Mint configuration */
  mint_config: string
  /** Whole tokens that have moved or are still to move, including held ones */
  amount: string
  /** The part of it that holds bind. The holds move, too */
  held: string
  /** The newest operation that moves it; null before */
  operation_id: string | null
  /** `pending`: its operation has not begun. `confirmed`: nothing is left in the lost wallet */
  status: "pending" | "queued" | "submitted" | "confirmed" | "failed"
  /** While it is pending: the error code of what keeps it from moving now; null if nothing does */
  blocked_by: "mint_paused" | "transfers_locked" | "wallet_sanctioned" | "wallet_barred" | "wallet_frozen" | "wallet_not_verified" | "country_not_allowed" | "not_accredited" | "flowback_blocked" | "supply_cap_exceeded" | "holder_limit_reached" | "investor_limit_reached" | "balance_limit_exceeded" | "investor_balance_limit_exceeded" | "insufficient_balance" | "amount_held" | "holding_period" | "below_minimum" | null
}

export interface Register {
  data: Array<RegisteredHolding>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
  as_of: {
    /** The slot that was asked for, or the last one in which a balance had changed; null before that */
    slot: number | null
    /** Everything that landed up to the end of this second is included */
    time: string
  }
  /** Whole tokens that existed */
  supply: string
  /** False if it is not known what holders moved themselves: the mint lacks `pausable`, or no node has the history */
  complete: boolean
  /** Since when, if complete is false; otherwise null */
  incomplete_since: string | null
}

export interface RegisteredHolding {
  /** Wallet address, base58; null for the row of an investor */
  user_pubkey: string | null
  /** Wallets that the row counts */
  wallets: number
  /** Whole tokens that it held */
  balance: string
  /** Its share of all tokens in percent, rounded down to 8 places; null if there were none */
  percent: string | null
  /** Whole tokens that no hold kept from moving */
  available: string
  /** Whole tokens that holds kept from moving */
  held: string
  /** The investor who owns the wallet now; null unless the key has kyc:read or attestation:read */
  investor_id: string | null
  /** Your own id for the investor; null under the same conditions */
  external_id: string | null
}

export interface ReplayWebhooksRequest {
  /** One event of any type */
  event_id?: string | undefined
  /** All events after the one with this `cursor`; `0` for all events */
  cursor?: string | undefined
  /** All events after this sequence number. After a failover, another event may have the number of a lost one, which a number alone cannot reveal: send `cursor` instead */
  after?: number | undefined
  /** All events since this time */
  since?: string | undefined
  /** Events since this time that the endpoint has not accepted: those given up, and those that wait for another attempt after one that failed */
  failed_since?: string | undefined
}

export interface RequestRecoveryRequest {
  /** The wallet whose key is lost or known to another person */
  lost_wallet: string
  /** The investor's wallet that gets everything. If left out, the lost wallet is barred until you name one */
  new_wallet?: string | undefined
  /** `lost_wallet`: the investor no longer has its key; `compromised`: another person has it; `estate`: the investor has died */
  reason_code: "lost_wallet" | "compromised" | "estate"
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
  /** SHA-256 of the document that justifies it, base64url. Vouch does not get the document */
  document_sha256?: string | undefined
  /** Whether the lost wallet is barred before the request is approved, and stays so if it is refused. Default: `true` */
  bar_now?: boolean | undefined
}

export interface ReviewEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `review.opened`: A review needs a decision; `review.decided`: A review was closed */
  type: "review.opened" | "review.decided"
  /** When it happened */
  occurred_at: string
  data: {
    /** The review's id */
    review_id: string
    /** What opened the review */
    kind: "vendor" | "screening" | "signal" | "reversal" | "limit"
    attestation_id: string | null
    /** Wallet address, base58 */
    user_pubkey: string | null
    /** The person whose wallet it is */
    investor_id: string | null
    /** Why it closed; null while it is open */
    ending: "decided" | "vendor" | "expired" | "revoked" | "erased" | "unlisted" | null
    /** The member's decision; null if no member decision was needed or made */
    decision: "approve" | "request_resubmission" | "reject" | "keep_rejected" | "clear" | "revoke" | null
  }
}

export interface RevokeAttestationRequest {
  /** Internal reason, shown in the record and never to the investor */
  reason: string
  /** Reason code that the hosted page shows to the investor. Default: `unverifiable` */
  public_reason?: PublicReason | undefined
}

export interface RotateWebhookSecretRequest {
  /** How long events also carry a signature of the old secret. Send 0 if it has leaked. Default: `86400` */
  overlap_seconds?: number | undefined
}

export interface RuleFinding {
  /** The rule, by the code of its refusal */
  code: "mint_paused" | "transfers_locked" | "wallet_sanctioned" | "wallet_barred" | "wallet_frozen" | "wallet_not_verified" | "country_not_allowed" | "not_accredited" | "flowback_blocked" | "supply_cap_exceeded" | "holder_limit_reached" | "investor_limit_reached" | "balance_limit_exceeded" | "investor_balance_limit_exceeded" | "insufficient_balance" | "amount_held" | "holding_period" | "below_minimum"
  /** `undecided`: the rule needs claims, and the wallet is not verified. `overridden`: the rule would refuse a transfer, and a forced act sets it aside */
  outcome: "passed" | "refused" | "undecided" | "overridden"
  /** The reason, for people */
  detail: string
}

export interface ScreeningList {
  /** The file's name */
  name: string
  /** SHA-256 of the file */
  digest: string
  /** Addresses on it */
  entries: number
  /** UTC, ISO 8601, to the second */
  loaded_at: string
  /** Workers that use this version */
  workers: number
}

export interface Session {
  /** Session id. Anyone who has it can open the hosted page */
  session_id: string
  /** The hosted page: send the investor there */
  session_url: string
}

export interface SessionEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `session.opened`: A verification session was started; `session.submitted`: The KYC provider reported on a session for the first time; `attestation.pending`: An attestation was created with its session */
  type: "session.opened" | "session.submitted" | "attestation.pending"
  /** When it happened */
  occurred_at: string
  data: {
    attestation_id: string
    /** Wallet address, base58 */
    user_pubkey: string
    /** The schema's id */
    schema: string
    /** The person whose wallet it is */
    investor_id: string
  }
}

export interface SessionList {
  data: Array<SessionRecord>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface SessionRecord {
  /** Opens the hosted page; null unless the key has the scope kyc:write */
  session_id: string | null
  /** The hosted page; null unless the session is open and the key has the scope kyc:write */
  session_url: string | null
  /** The attestation that the session decides */
  attestation_id: string
  /** The person behind the wallet */
  investor_id: string
  /** Wallet address, base58 */
  user_pubkey: string
  /** The schema's id */
  schema: string
  /** The session's externalId */
  external_id: string | null
  state: SessionState
  status: AttestationStatus
  /** Name of the KYC provider */
  provider: string
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** When the investor consented; null before */
  consented_at: string | null
  /** When the session closes if it is not decided; null once it is decided */
  expires_at: string | null
  /** Time of the provider's last decision, by the provider's clock; null before */
  decided_at: string | null
}

/** `open`: waits for the investor; `approved`: its attestation is on its way to the chain; `verified`, `rejected`, `cancelled` and `expired` are final, even if the attestation changes later */
export type SessionState = "open" | "in_review" | "approved" | "verified" | "rejected" | "cancelled" | "expired"

export interface Snapshot {
  /** The snapshot's id */
  snapshot_id: string
  /** Mint configuration */
  mint_config: string
  /** Your name for it */
  name: string
  /** The record date: everything that landed up to the end of this second counts */
  record_at: string
  /** `scheduled`: the record date is not final yet. `ready`: the holders are known and do not change; anchor_tx follows. `failed`: they are known, but their hash could not be put on chain */
  state: "scheduled" | "ready" | "failed"
  /** Wallets that held tokens; null until it is ready */
  holders: number | null
  /** Whole tokens that they held; null until it is ready */
  supply: string | null
  /** SHA-256 of the holders' CSV, base64url; null until it is ready */
  sha256: string | null
  /** False if it is not known what holders had moved themselves at the record date; null until it is ready */
  complete: boolean | null
  /** Signature of the transaction whose memo has the hash, base58; null until it is confirmed */
  anchor_tx: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** Null until it is ready */
  ready_at: string | null
}

export interface SnapshotEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `snapshot.ready`: The holders of a token on a record date are known */
  type: "snapshot.ready"
  /** When it happened */
  occurred_at: string
  data: {
    /** The snapshot's id */
    snapshot_id: string
    /** Mint configuration */
    mint_config: string
    /** Wallets that held tokens */
    holders: number
    /** SHA-256 of the holders' CSV, base64url */
    sha256: string
  }
}

export interface SnapshotHolder {
  /** Wallet address, base58 */
  user_pubkey: string
  /** Whole tokens that it held */
  balance: string
  /** Whole tokens of these that holds kept from moving */
  held: string
}

export interface SnapshotHolderList {
  data: Array<SnapshotHolder>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface SnapshotList {
  data: Array<Snapshot>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface StartVerificationRequest {
  /** Wallet address, base58 of 32 bytes */
  userPubkey: string
  /** Schema id */
  schemaId: string
  /** Where the hosted page sends the investor afterwards, with attestation_id and status appended */
  redirectUrl?: string | undefined
  /** Your own id for the investor; returned in records */
  externalId?: string | undefined
  /** Email address for the reminder before the verification expires. Vouch keeps it, encrypted, only while reminders are on in the workspace's settings, and deletes it when the verification ends */
  email?: string | undefined
}

export interface TokenBalance {
  /** Mint configuration */
  mint_config: string
  /** Address of the Token-2022 mint */
  mint: string
  /** Whole tokens, without trailing zeros */
  amount: string
  /** Whole tokens that can be moved now: neither in transit from it nor held */
  available: string
  /** Whole tokens that holds keep from moving */
  held: string
  /** Whether the token account is frozen */
  frozen: boolean
  /** Since when and why the workspace has frozen the wallet, for this token or for every token; null if it has not */
  wallet_freeze: {
    /** UTC, ISO 8601, to the second */
    since: string
    /** Why it was frozen */
    reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  } | null
}

export interface TokenChangeEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `token.changed`: A mint configuration was changed */
  type: "token.changed"
  /** When it happened */
  occurred_at: string
  data: {
    /** Mint configuration */
    mint_config: string
    /** The token's symbol */
    symbol: string
    /** The fields that changed. Read the record for their current values */
    changed: Array<"name" | "symbol" | "decimals" | "required_schema" | "transfer_mode" | "rules">
  }
}

export interface TokenEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `token.paused`: A mint configuration was paused; `token.resumed`: A mint configuration was resumed */
  type: "token.paused" | "token.resumed"
  /** When it happened */
  occurred_at: string
  data: {
    /** Mint configuration */
    mint_config: string
    /** The token's symbol */
    symbol: string
  }
}

export interface TokenHolder {
  /** Wallet address, base58 */
  user_pubkey: string
  /** Whole tokens that it holds */
  balance: string
  /** Whole tokens in transit to it */
  incoming: string
  /** Whole tokens in transit from it */
  outgoing: string
  /** Whole tokens that can be moved now: neither in transit from it nor held */
  available: string
  /** Whole tokens that holds keep from moving */
  held: string
  /** Whether its token account is frozen under the current transfer mode, rules, screening lists and freezes, so that its holder cannot move the tokens; always true in agent mode */
  frozen: boolean
  /** Since when and why the workspace has frozen the wallet, for this token or for every token; null if it has not */
  wallet_freeze: {
    /** UTC, ISO 8601, to the second */
    since: string
    /** Why it was frozen */
    reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  } | null
  /** The investor who owns the wallet; null unless the key has kyc:read or attestation:read */
  investor_id: string | null
  /** Your own id for the investor; null under the same conditions */
  external_id: string | null
}

export interface TokenHolderList {
  data: Array<TokenHolder>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
  /** Balances include everything that landed up to this slot; null before anything has landed */
  slot: number | null
}

export interface TransferTokensRequest {
  /** Wallet address, base58 of 32 bytes */
  from_pubkey: string
  /** Wallet address, base58 of 32 bytes */
  to_pubkey: string
  /** Configuration id */
  mint_config: string
  amount: Amount
}

export interface Treasury {
  /** The key that pays for the workspace: its authority, which also owns the token accounts */
  address: string
  /** One for each mint that the deployment pays with, in the order of its settings */
  balances: Array<TreasuryBalance>
}

export interface TreasuryBalance {
  /** Address of the payment mint */
  mint: string
  /** Its name, as its issuer wrote it on chain: anyone can give a token any name. Null without one */
  name: string | null
  /** Its symbol, likewise */
  symbol: string | null
  /** Its decimals; null if it is refused */
  decimals: number | null
  /** The account to fund: the associated token account of the treasury's address. Null if it is refused */
  token_account: string | null
  /** Whole tokens in that account. 0 if it does not exist yet */
  balance: string
  /** Whether the token's issuer has frozen that account */
  frozen: boolean
  /** Why Vouch does not pay with this mint, such as a transfer fee; null if it does */
  refused: string | null
}

export interface UnfreezeWalletRequest {
  /** Wallet address, base58 of 32 bytes */
  user_pubkey: string
  /** Only for this token. If left out: every token of the workspace, including those created later */
  mint_config?: string | undefined
  /** Why */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  /** Your reference, such as a case number. No personal data: it is kept */
  reference: string
}

export interface Usage {
  /** The account's plan */
  plan: string
  /** Start of the month */
  period_start: string
  /** Start of the next month */
  period_end: string
  /** Null if there is no limit */
  included: number | null
  /** Units of quota in use: pending attestations, and those that were verified */
  used: number
  /** Null if there is no limit */
  remaining: number | null
  /** Costs on chain this month so far, counted a few seconds after each transaction */
  chain: {
    /** Transactions that landed */
    transactions: number
    /** Fees of these transactions */
    fee_lamports: string
    /** Rent for accounts in these transactions */
    rent_lamports: string
    /** Limit for fees and rent together; null if there is none */
    budget_lamports: string | null
  }
}

export interface UsageHistory {
  data: Array<Usage>
}

export interface VendorRedaction {
  /** Name of the KYC provider */
  provider: string
  /** `requested`: Vouch asks the vendor until it has deleted the data; `failed`: the vendor has not done so for hours, and Vouch still asks; `not_supported`: the vendor's API cannot delete, so ask the vendor yourself; `kept`: the vendor's record also serves another wallet of the investor, and Vouch asks when that one is erased */
  status: "requested" | "done" | "not_supported" | "kept" | "failed"
  /** Null until done */
  done_at: string | null
}

export interface VerificationSchema {
  /** Schema id, as used in schemaId */
  id: string
  /** Display name */
  name: string
  /** Days from the provider's decision */
  validity_days: number
  /** Whether sessions started now ask investors to prove with a signature that the wallet is theirs */
  wallet_proof: boolean
  /** UTC, ISO 8601, to the second */
  created_at: string
}

export interface VerificationSchemaDetail {
  /** Schema id, as used in schemaId */
  id: string
  /** Display name */
  name: string
  /** Days from the provider's decision */
  validity_days: number
  /** Whether sessions started now ask investors to prove with a signature that the wallet is theirs */
  wallet_proof: boolean
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** The setting of wallet_proof; null if the provider decides */
  wallet_proof_setting: boolean | null
  /** How many days before the expiry Vouch sends attestation.expiring and reminds investors who want it */
  reminder_days: Array<number>
}

export interface VerificationSchemaList {
  data: Array<VerificationSchema>
}

export interface WalletBalances {
  /** Wallet address, base58 */
  user_pubkey: string
  /** The slot as of which the chain was read; null if the workspace has no token on chain */
  slot: number | null
  data: Array<TokenBalance>
}

export interface WalletFreeze {
  /** Wallet address, base58 */
  user_pubkey: string
  /** Mint configuration; null for every token */
  mint_config: string | null
  /** Whether the wallet is frozen now. A freeze for every token counts for each */
  frozen: boolean
  /** Null unless frozen */
  since: string | null
  /** Why it was frozen; null unless frozen */
  reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other" | null
}

export interface WalletFreezeEvent {
  /** The same in every delivery */
  id: string
  /** Number of the event among all events of the workspace: 1, 2, 3, without a gap */
  sequence: number
  /** The position after this event: its sequence number and that number's generation. `GET /events` continues from it */
  cursor: string
  /** `wallet.frozen`: A wallet was frozen, for one token or for every token; `wallet.unfrozen`: A freeze of a wallet was lifted */
  type: "wallet.frozen" | "wallet.unfrozen"
  /** When it happened */
  occurred_at: string
  data: {
    /** Wallet address, base58 */
    user_pubkey: string
    /** The person whose wallet it is */
    investor_id: string | null
    /** The token; null for every token */
    mint_config: string | null
    /** Why it was frozen */
    reason_code: "redemption" | "buyback" | "court_order" | "sanctions" | "regulator" | "lost_wallet" | "compromised" | "estate" | "error_correction" | "tax" | "dividend" | "other"
  }
}

export interface WalletStatus {
  status: AttestationStatus
  /** The attestation's id */
  attestation_id: string
  /** The schema's id */
  schema: string
  /** Null until verified */
  expires_at: string | null
  /** The issuing transaction's signature, base58; null until verified */
  onchain_tx: string | null
}

export interface WebhookDelivery {
  /** The endpoint's id */
  endpoint_id: string
  /** The event's id, the same in every attempt */
  event_id: string
  /** The event's sequence number */
  sequence: number
  /** The event's type */
  type: "session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided"
  /** `pending`: it waits for its next attempt; `failed`: all have been made. A replay begins again */
  status: "pending" | "delivered" | "failed"
  /** Attempts since it was last requested, at most 10 */
  attempts: number
  /** Null unless pending */
  next_attempt_at: string | null
  /** When it was delivered or given up; null while pending */
  ended_at: string | null
  /** The response to the last attempt; null if there was none */
  last_status_code: number | null
  /** Why the last attempt failed; null if it did not, or if there was none */
  last_error: string | null
}

export interface WebhookDeliveryDetail {
  /** The endpoint's id */
  endpoint_id: string
  /** The event's id, the same in every attempt */
  event_id: string
  /** The event's sequence number */
  sequence: number
  /** The event's type */
  type: "session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided"
  /** `pending`: it waits for its next attempt; `failed`: all have been made. A replay begins again */
  status: "pending" | "delivered" | "failed"
  /** Attempts since it was last requested, at most 10 */
  attempts: number
  /** Null unless pending */
  next_attempt_at: string | null
  /** When it was delivered or given up; null while pending */
  ended_at: string | null
  /** The response to the last attempt; null if there was none */
  last_status_code: number | null
  /** Why the last attempt failed; null if it did not, or if there was none */
  last_error: string | null
  /** The body of every attempt, exactly as it is sent */
  body: string
  /** The last 50 attempts within 30 days, newest first */
  attempt_log: Array<{
    /** When the attempt began */
    at: string
    /** Null if there was no response */
    status_code: number | null
    /** How long the response took, in milliseconds */
    latency_ms: number
    /** Why it failed; null if it was delivered */
    error: string | null
    /** The start of the response's body; `***` without the scope `webhooks:write` */
    response: string | null
    /** The request's headers, except those of the connection. The signature is `***` without the scope `webhooks:write`. Null for attempts of version 0.1.0 */
    headers: Record<string, string> | null
  }>
}

export interface WebhookDeliveryList {
  data: Array<WebhookDelivery>
  /** Send as cursor to get the next page; null on the last page */
  next_cursor: string | null
}

export interface WebhookEndpoint {
  /** The endpoint's id */
  endpoint_id: string
  /** Where events are sent. Without the scope `webhooks:write`, the path and query are `***` */
  url: string
  /** Your description */
  description: string | null
  /** Which events are sent; null means all types, including ones added later */
  types: Array<"session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided"> | null
  /** Whether an event is sent only after all earlier ones were delivered or given up */
  ordered: boolean
  /** A disabled endpoint gets no events */
  status: "enabled" | "disabled"
  /** `requested`: you disabled it; `gone`: it answered 410; `failing`: no delivery succeeded for 4 days. Null while enabled */
  disabled_reason: "requested" | "gone" | "failing" | null
  /** Null while enabled */
  disabled_at: string | null
  /** Since when every attempt has failed; null if the last one succeeded */
  failing_since: string | null
  /** Until when the previous secret also signs; null if there is none */
  previous_secret_until: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
}

export interface WebhookEndpointList {
  data: Array<WebhookEndpoint>
}

export interface WebhookEndpointWithSecret {
  /** The endpoint's id */
  endpoint_id: string
  /** Where events are sent. Without the scope `webhooks:write`, the path and query are `***` */
  url: string
  /** Your description */
  description: string | null
  /** Which events are sent; null means all types, including ones added later */
  types: Array<"session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided"> | null
  /** Whether an event is sent only after all earlier ones were delivered or given up */
  ordered: boolean
  /** A disabled endpoint gets no events */
  status: "enabled" | "disabled"
  /** `requested`: you disabled it; `gone`: it answered 410; `failing`: no delivery succeeded for 4 days. Null while enabled */
  disabled_reason: "requested" | "gone" | "failing" | null
  /** Null while enabled */
  disabled_at: string | null
  /** Since when every attempt has failed; null if the last one succeeded */
  failing_since: string | null
  /** Until when the previous secret also signs; null if there is none */
  previous_secret_until: string | null
  /** UTC, ISO 8601, to the second */
  created_at: string
  /** The signing secret: `whsec_` and base64 of 32 bytes */
  secret: string
}

export interface WebhookReplay {
  /** The endpoint's id */
  endpoint_id: string
  /** Number of events sent again, not counting those still waiting for their first attempt */
  events: number
}

export interface WebhookSecret {
  /** The endpoint's id */
  endpoint_id: string
  /** The signing secret: `whsec_` and base64 of 32 bytes */
  secret: string
}

export interface WebhookTest {
  /** When the attempt began */
  at: string
  /** Null if there was no response */
  status_code: number | null
  /** How long the response took, in milliseconds */
  latency_ms: number
  /** Why it failed; null if it was delivered */
  error: string | null
  /** The start of the response's body; `***` without the scope `webhooks:write` */
  response: string | null
  /** Whether the endpoint accepted it */
  delivered: boolean
}

/** A method for each endpoint, by its `operationId`. */
export interface Methods {
  /** Start a verification. Creates a session for a wallet and a schema, and returns the URL of its hosted page. If the same person has an open session for this wallet and schema, that session is returned and the quota is not charged again. The open session takes a new redirectUrl, and an externalId if it has none. Another person's externalId starts a separate session and changes nothing else: the wallet belongs to the person for whom it was last proven or approved. In test mode the sandbox decides the sessions of test wallets, such as `VouchTestApproved11111111111111111111111118`, at once. */
  startVerification(params: StartVerificationRequest, options?: RequestOptions): Promise<Session>

  /** Get a wallet's status. Returns the wallet's latest verified attestation that has not expired, otherwise its newest. All five fields are always present. */
  getWalletStatus(params: {
    /** Wallet address, base58 of 32 bytes */
    pubkey: string
    /** Schema id */
    schema?: string | undefined
  }, options?: RequestOptions): Promise<WalletStatus>

  /** Get an attestation. Returns the attestation with everything needed to verify it on chain. */
  getAttestation(params: {
    /** The attestation's id */
    id: string
  }, options?: RequestOptions): Promise<Attestation>

  /** List attestations. Newest first. Pages stay stable while attestations are added. */
  listAttestations(params?: {
    /** Wallet address, base58 of 32 bytes */
    pubkey?: string | undefined
    /** Schema id */
    schema?: string | undefined
    /** Only attestations with this status */
    status?: AttestationStatus | undefined
    /** Only attestations of this investor */
    investor?: string | undefined
    /** Only attestations whose session has this externalId */
    external_id?: string | undefined
    /** Only the attestation of this session */
    session?: string | undefined
    /** Only attestations started at this time or later */
    created_after?: string | undefined
    /** Only attestations started before this time */
    created_before?: string | undefined
    /** Only attestations that are verified now and expire before this time */
    expiring_before?: string | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<AttestationList>

  /** Revoke an attestation. Ends the attestation at once and destroys its credential on chain within seconds. An attestation that has already ended is returned unchanged. A policy can require approval for a pending one. A verified one can always be revoked at once. */
  revokeAttestation(params: {
    /** The attestation's id */
    id: string
  } & RevokeAttestationRequest, options?: RequestOptions): Promise<Attestation>

  /** List investors. Newest first. The same externalId means the same investor, with any number of wallets. Without one, each wallet is a separate investor. Pages stay stable while investors are added. */
  listInvestors(params?: {
    /** Only the investor with this externalId */
    external_id?: string | undefined
    /** Only the investor who has this wallet */
    wallet?: string | undefined
    /** Only entries at this time or later */
    created_after?: string | undefined
    /** Only entries before this time */
    created_before?: string | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<InvestorList>

  /** Get an investor. Returns the investor with the status of each wallet for each schema. If two investors turn out to be one, because a wallet is started with the externalId of another, both ids return the one that remains. */
  getInvestor(params: {
    /** The investor's id */
    id: string
  }, options?: RequestOptions): Promise<InvestorDetail>

  /** List approvals. Requests that further members must approve, or had to, newest first. */
  listApprovals(params?: {
    /** Only requests in this state */
    state?: "pending" | "approved" | "rejected" | "withdrawn" | "expired" | "void" | undefined
    /** Only requests of this kind */
    action?: "mint" | "transfer" | "burn" | "force_transfer" | "hold_release" | "hold_execute" | "recovery" | "distribution" | "unfreeze" | "unpause" | "config_change" | "review_decision" | "session_cancel" | "attestation_revoke" | "attestation_revoke_bulk" | "erase" | "key_create" | "policy_change" | undefined
    /** Only requests of this key or member, by its id: the record's `requester_id` */
    requested_by?: string | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<ApprovalList>

  /** Get an approval. Returns the request, who has approved it, and what came of it. */
  getApproval(params: {
    /** The approval's id */
    id: string
  }, options?: RequestOptions): Promise<Approval>

  /** Withdraw a request. Ends a request that waits for approval. Only the key that made it can withdraw it. */
  withdrawApproval(params: {
    /** The approval's id */
    id: string
  }, options?: RequestOptions): Promise<Approval>

  /** List approval policies. All policies of the workspace, newest first. In live workspaces, forced transfers and burns without the holder's consent need one approval even without a policy. */
  listApprovalPolicies(params?: Record<never, never>, options?: RequestOptions): Promise<ApprovalPolicyList>

  /** Create an approval policy. From now on, further members must approve what it names: the request answers 202 with status awaiting_approval. If several policies bind a request, the one that requires the most members counts. A policy that would replace another one's approvers needs an approval itself, and answers 202. */
  createApprovalPolicy(params: CreateApprovalPolicyRequest, options?: AsyncOptions): Promise<ApprovalPolicy>

  /** Change an approval policy. A stricter policy takes effect at once. A change that lets more through needs an approval, and answers 202. Requests that wait under the policy become void. */
  changeApprovalPolicy(params: {
    /** The policy's id */
    id: string
  } & ChangeApprovalPolicyRequest, options?: AsyncOptions): Promise<ApprovalPolicy>

  /** Delete an approval policy. Needs an approval itself, and answers 202. */
  deleteApprovalPolicy(params: {
    /** The policy's id */
    id: string
  }, options?: AsyncOptions): Promise<ApprovalPolicy>

  /** List schemas. The schemas of the workspace: what is verified, and how long a verification is valid. Newest first. */
  listSchemas(params?: Record<never, never>, options?: RequestOptions): Promise<VerificationSchemaList>

  /** Create a schema. Creates a schema that sessions can use. Its credential is created on chain with the first attestation. A workspace can have 100. */
  createSchema(params: CreateSchemaRequest, options?: RequestOptions): Promise<VerificationSchemaDetail>

  /** Get a schema. Returns the schema with its settings. */
  getSchema(params: {
    /** Schema id */
    id: string
  }, options?: RequestOptions): Promise<VerificationSchemaDetail>

  /** Change a schema. Changes the fields that you send. Changes apply to decisions from now on: issued credentials keep their expiry, which is on chain. A changed `wallet_proof` applies to sessions started from now on. */
  changeSchema(params: {
    /** Schema id */
    id: string
  } & ChangeSchemaRequest, options?: RequestOptions): Promise<VerificationSchemaDetail>

  /** Get the key in use. Returns the key of the request, its workspace, and what it may do. Any key may call it. */
  getKey(params?: Record<never, never>, options?: RequestOptions): Promise<Key>

  /** Mint tokens. Mints to a verified wallet. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far. */
  mintTokens(params: MintTokensRequest, options?: AsyncOptions): Promise<Operation>

  /** Transfer tokens. Moves tokens between two verified wallets. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far. */
  transferTokens(params: TransferTokensRequest, options?: AsyncOptions): Promise<Operation>

  /** Burn tokens. Burns tokens of any wallet, also of one that is not verified or is on a screening list: for a redemption with the holder's consent, or without it for a reason that a document shows. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far. */
  burnTokens(params: BurnTokensRequest, options?: AsyncOptions): Promise<Operation>

  /** Force a transfer. Moves tokens out of any wallet without the holder's consent, for a reason that a document shows. All rules bind the recipient, and none the sender. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far. */
  forceTransferTokens(params: ForceTransferTokensRequest, options?: AsyncOptions): Promise<Operation>

  /** Check a movement before you request it. Returns what a mint, a transfer, a burn or a forced transfer would answer now, with the result of every rule, without doing anything. It takes no lock, reserves nothing and ignores Idempotency-Key, so the request itself may get another answer a moment later. A field that the request would refuse is refused here as well. What only the chain decides is not foretold, such as the balance in holder mode. */
  preflightMovement(params: PreflightMovementRequest, options?: RequestOptions): Promise<Preflight>

  /** Freeze a wallet. Stops mints and transfers to and from a wallet, for one token or for every token. In holder mode its token accounts are also frozen on chain, usually within seconds, so that the holder cannot move them. Tokens of a frozen wallet can still be burned or taken by a forced transfer. Freezing a frozen wallet changes nothing. */
  freezeWallet(params: FreezeWalletRequest, options?: RequestOptions): Promise<WalletFreeze>

  /** Unfreeze a wallet. Lifts a freeze with the same mint_config, or the one for every token if there is none. Other freezes of the wallet stay. Responds with what is true after that: a wallet can still be frozen for a token by the freeze for every token. Unfreezing a wallet that is not frozen changes nothing. */
  unfreezeWallet(params: UnfreezeWalletRequest, options?: RequestOptions): Promise<WalletFreeze>

  /** Get an operation. Returns the status of a mint, a transfer, a burn or a forced transfer. */
  getOperation(params: {
    /** The operation's id */
    id: string
  }, options?: RequestOptions): Promise<Operation>

  /** List operations. Newest first. Pages stay stable while operations are added. */
  listOperations(params?: {
    /** Configuration id */
    mint_config?: string | undefined
    /** Only operations with this wallet as sender or recipient */
    pubkey?: string | undefined
    /** Only operations with this status */
    status?: "queued" | "submitted" | "confirmed" | "failed" | undefined
    /** Only operations of this kind */
    kind?: "mint" | "transfer" | "burn" | "force_transfer" | "hold" | "release" | undefined
    /** Only entries at this time or later */
    created_after?: string | undefined
    /** Only entries before this time */
    created_before?: string | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<OperationList>

  /** Get a balance. Reads the chain now. A wallet without an account has balance 0 and frozen true. */
  getBalance(params: {
    /** Wallet address, base58 of 32 bytes */
    pubkey: string
    /** Configuration id */
    mint_config: string
  }, options?: RequestOptions): Promise<Balance>

  /** List a wallet's balances. Reads the chain now: each token of the workspace for which the wallet has an account, newest token first. */
  listBalances(params: {
    /** Wallet address, base58 of 32 bytes */
    pubkey: string
  }, options?: RequestOptions): Promise<WalletBalances>

  /** List a wallet's lots. When and under which exemption the wallet acquired the tokens that it holds. The oldest first: in this order, transfers take them. The amounts add up to the balance that Vouch has recorded. In holder mode, that includes only what went through Vouch. */
  listLots(params: {
    /** Wallet address, base58 of 32 bytes */
    pubkey: string
    /** Configuration id */
    mint_config: string
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<LotList>

  /** List a token's holders. Wallets that hold the token or are about to, with the balances that Vouch has recorded. Sorted by wallet, a holder is on exactly one page even if other balances change while you read. Sorted by balance, a wallet whose balance changes between two pages may be on both or neither. In holder mode, these balances include only what went through Vouch. */
  listHolders(params: {
    /** Configuration id */
    mint_config: string
    /** `wallet`: by address; `balance`: largest first */
    sort?: "wallet" | "balance" | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<TokenHolderList>

  /** Get the register at a moment. Who held how much of a token at a moment, from the books that every mint, transfer and burn is posted in. A moment is inclusive: what landed in its second, or in its slot, counts. It must be final, so that the answer never changes. Until balances are read back, the books of a token in holder mode lack what holders move themselves, and complete is false. All pages are as of the moment of the first. */
  getRegister(params: {
    /** Configuration id */
    mint_config: string
    /** A time or the number of a slot; if left out, the last moment that is final */
    at?: string | undefined
    /** `wallet`: a row for each wallet, by address; `investor`: a row for each investor, by id, then for each wallet without one, by address. Needs kyc:read or attestation:read */
    group?: "wallet" | "investor" | undefined
    /** Only wallets of this investor. Needs kyc:read or attestation:read */
    investor?: string | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<Register>

  /** Hold tokens. Keeps part of a wallet's balance from moving until you release it, take it or it expires. A transfer, a burn or a forced transfer that needs held tokens is refused with amount_held; a burn and a forced transfer can name the hold to take from it. Mints to the wallet are not affected. In agent mode the hold is in Vouch's records alone, because the chain keeps every balance frozen. In holder mode an operation moves the tokens into a second, frozen account of the same wallet; the hold is `pending` until that is on chain. */
  placeHold(params: PlaceHoldRequest, options?: AsyncOptions): Promise<Hold>

  /** List holds. Newest first, including those that have ended. Pages stay stable while holds are added. */
  listHolds(params?: {
    /** Only holds of this wallet */
    pubkey?: string | undefined
    /** Configuration id */
    mint_config?: string | undefined
    /** Only holds in this state */
    state?: "pending" | "active" | "released" | "executed" | "expired" | "failed" | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<HoldList>

  /** Get a hold. Returns what it holds, why, and how it ended. */
  getHold(params: {
    /** The hold's id */
    id: string
  }, options?: RequestOptions): Promise<Hold>

  /** Execute a hold. Moves all that a hold holds to another wallet, by a forced transfer with the hold's reason and reference. All rules bind the recipient. Responds with the hold once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the hold so far. */
  executeHold(params: {
    /** The hold's id */
    id: string
  } & ExecuteHoldRequest, options?: AsyncOptions): Promise<HoldExecution>

  /** Release a hold. Makes what it still holds available again. Responds with the hold once it is released. If an operation has to move the tokens first, responds 202 after 25 seconds, or at once with Prefer: respond-async. If a policy requires the approval of further members, responds 202 with status `awaiting_approval`. */
  releaseHold(params: {
    /** The hold's id */
    id: string
  }, options?: AsyncOptions): Promise<HoldRelease>

  /** Recover a lost wallet. Moves everything that a lost wallet holds to another wallet of the same investor: every position and every hold, each by its own operation. The lost wallet is barred at once: nothing enters or leaves it, and no one can verify it. In live mode another member must approve. Then the lost wallet's verifications are revoked and its tokens move. The new wallet must be verified for each token and, in live mode, be proved with its signature; it must not be frozen, barred or on a screening list. Without new_wallet the lost wallet is only barred: send the request again once the investor has a new one. */
  requestRecovery(params: {
    /** The investor's id */
    id: string
  } & RequestRecoveryRequest, options?: AsyncOptions): Promise<Recovery>

  /** List an investor's recoveries. Newest first, including those that have ended. */
  listRecoveries(params: {
    /** The investor's id */
    id: string
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<RecoveryList>

  /** Get a recovery. Returns its state and, to keys with the scope token:read, every position and what keeps it from moving. */
  getRecovery(params: {
    /** The recovery's id */
    id: string
  }, options?: RequestOptions): Promise<Recovery>

  /** Cancel a recovery. Ends a recovery. Before its tokens move, that lifts the bar of its lost wallet. Once they move, it stops what has not begun, for example to name another new wallet, and the lost wallet stays barred. Verifications that were pending when the wallet was barred have ended. A policy about unfreezing wallets binds this, too: then it responds 202 with the approval. */
  cancelRecovery(params: {
    /** The recovery's id */
    id: string
  }, options?: RequestOptions): Promise<Recovery>

  /** Take a snapshot. Records who held a token on a record date, in the past or in the future. Everything that landed up to the end of that second counts. It responds 202: the snapshot is ready once nothing can land before the record date any more, some seconds after it. Then the SHA-256 of the holders' CSV goes on chain in a memo that the token's authority signs, so that anyone can check the file with verifySnapshot of the client library. */
  createSnapshot(params: CreateSnapshotRequest, options?: AsyncOptions): Promise<Snapshot>

  /** List snapshots. Newest first. */
  listSnapshots(params?: {
    /** Only snapshots of this token */
    mint_config?: string | undefined
    /** Only snapshots in this state */
    state?: "scheduled" | "ready" | "failed" | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<SnapshotList>

  /** Get a snapshot. Returns its state and, once it is ready, the number of holders, what they held and the hash. */
  getSnapshot(params: {
    /** The snapshot's id */
    id: string
  }, options?: RequestOptions): Promise<Snapshot>

  /** Get a snapshot's holders as CSV. The canonical file, whose SHA-256 is on chain: the header `user_pubkey,balance,held`, a line for each wallet in the order of the bytes of its address, amounts in base units, lines that end with LF, UTF-8 without a byte order mark. Check the bytes as they arrive, before any program changes them. If the download breaks off, repeat it. */
  getSnapshotHoldersCsv(params: {
    /** The snapshot's id */
    id: string
  }, options?: RequestOptions): Promise<string>

  /** List a snapshot's holders. The wallets that held the token on the record date, by address. */
  listSnapshotHolders(params: {
    /** The snapshot's id */
    id: string
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<SnapshotHolderList>

  /** Draft a distribution. Computes what each holder in a snapshot gets. Nothing is paid before you start it: the answer and its payouts are the preview, with the payouts that would be withheld now. The amounts do not change after that. They add up to the total to the last unit: each holder gets their share rounded down, and the units that are left go to the largest fractions, one each; of equal ones, to the wallet that comes first. Held tokens count. Vouch's own addresses get nothing. */
  createDistribution(params: CreateDistributionRequest, options?: RequestOptions): Promise<Distribution>

  /** List distributions. Newest first. */
  listDistributions(params?: {
    /** Only distributions of this token */
    mint_config?: string | undefined
    /** Only distributions in this state */
    state?: "draft" | "awaiting_approval" | "paying" | "paused" | "completed" | "cancelled" | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<DistributionList>

  /** Get a distribution. Returns its state and what has become of its payouts, as sums. */
  getDistribution(params: {
    /** The distribution's id */
    id: string
  }, options?: RequestOptions): Promise<Distribution>

  /** List a distribution's payouts. What each wallet gets and what has become of it, by wallet. */
  listPayouts(params: {
    /** The distribution's id */
    id: string
    /** Only payouts with this status */
    status?: "pending" | "withheld" | "submitted" | "paid" | "failed" | "external_paid" | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<PayoutList>

  /** Start or resume a distribution. Pays a draft, or carries on with one that is paused. Each payout is one operation with one memo, and it lands at most once. A payout that its wallet may not receive now is withheld with the reason and stays owed. An external distribution is completed once you have marked every payout as paid. If a policy requires the approval of further members, the distribution waits as `awaiting_approval`; if they refuse, it is a draft again. */
  startDistribution(params: {
    /** The distribution's id */
    id: string
  }, options?: AsyncOptions): Promise<Distribution>

  /** Pause a distribution. Begins no more payouts. Those that have begun end. Start it to carry on. */
  pauseDistribution(params: {
    /** The distribution's id */
    id: string
  }, options?: RequestOptions): Promise<Distribution>

  /** Cancel a distribution. Ends a distribution. Payouts that have begun end, and the others stay unpaid. You can still mark them as paid elsewhere. */
  cancelDistribution(params: {
    /** The distribution's id */
    id: string
  }, options?: RequestOptions): Promise<Distribution>

  /** Get a payout. Returns what it pays to whom, and what has become of it. */
  getPayout(params: {
    /** The payout's id */
    id: string
  }, options?: RequestOptions): Promise<Payout>

  /** Release a withheld payout. Tries to pay a payout that is withheld, once its reason has ended. It is checked again, and withheld again if the wallet still may not receive. The payout of a wallet that was recovered goes to the wallet that replaced it. */
  releasePayout(params: {
    /** The payout's id */
    id: string
  }, options?: RequestOptions): Promise<Payout>

  /** Retry a failed payout. Tries to pay a payout whose operation failed, by a new operation. */
  retryPayout(params: {
    /** The payout's id */
    id: string
  }, options?: RequestOptions): Promise<Payout>

  /** Mark a payout as paid elsewhere. Notes that you paid it in another way, such as by bank transfer. Vouch never pays it after that. Payouts of an external distribution are paid like this, and so can be any payout that is pending, withheld or failed. */
  markPayoutPaid(params: {
    /** The payout's id */
    id: string
  } & MarkPayoutPaidRequest, options?: RequestOptions): Promise<Payout>

  /** Get the treasury. Returns the address that pays for the workspace and, for each mint that the deployment pays with, the account to fund and its balance. Reads the chain now. */
  getTreasury(params?: Record<never, never>, options?: RequestOptions): Promise<Treasury>

  /** Create a mint configuration. Creates the token and its mint on chain. 200 once the mint is confirmed, otherwise 202 with mint: null. A workspace can have 100. */
  createMintConfig(params: CreateMintConfigRequest, options?: AsyncOptions): Promise<MintConfig>

  /** List mint configurations. All mint configurations of this workspace, newest first. */
  listMintConfigs(params?: Record<never, never>, options?: RequestOptions): Promise<MintConfigList>

  /** Get a mint configuration. Includes the supply and the number of holders. */
  getMintConfig(params: {
    /** Configuration id */
    id: string
  }, options?: RequestOptions): Promise<MintConfig>

  /** Change a mint configuration. Changes the fields that you send, and within `rules` the rules that you send. Null removes a rule. New rules apply at once to requests and to operations that are not signed yet. Limits apply to later requests. Fields written on chain cannot change. If holders move tokens themselves, accounts are updated within seconds. */
  changeMintConfig(params: {
    /** Configuration id */
    id: string
  } & ChangeMintConfigRequest, options?: RequestOptions): Promise<MintConfig>

  /** Pause a token. Stops minting, transfers and burns until you unpause the token. */
  pauseMintConfig(params: {
    /** Configuration id */
    id: string
  }, options?: RequestOptions): Promise<MintConfig>

  /** Unpause a token. Resumes minting, transfers and burns. */
  unpauseMintConfig(params: {
    /** Configuration id */
    id: string
  }, options?: RequestOptions): Promise<MintConfig>

  /** Get quota usage. A started session counts until its attestation ends unverified. The period is the calendar month in UTC. */
  getUsage(params?: Record<never, never>, options?: RequestOptions): Promise<Usage>

  /** Get the usage of past months. The figures of GET /usage for each month of the workspace, the current one first. Plan, quota and budget are those at the end of the month. */
  getUsageHistory(params?: {
    /** Maximum number of months, including the current one */
    months?: number | undefined
  }, options?: RequestOptions): Promise<UsageHistory>

  /** List events. Returns what happened in the workspace, oldest first. Each event has the next sequence number. Send the `cursor` of the last event that you have, so that you miss nothing. To start, leave `cursor` out to read from the oldest event kept, or send `last_cursor` to read only new events. Events are kept for 90 days; if events after yours were deleted, the response is 410 `events_expired`. If a failover or a restore of the database lost your last event, the response is 410 `events_rewound`: continue with the cursor in the header `Resume-Cursor`, and ignore events whose `id` you have. Events name what they are about and contain nothing personal. */
  listEvents(params?: {
    /** The last sequence number that you have, or 0 before the workspace's first event. Without it and without `cursor`, the list starts at the oldest event kept. After a failover, another event may have the number of a lost one, which a number alone cannot reveal: send `cursor` instead */
    after?: number | undefined
    /** The `cursor` of the last event that you have, instead of `after`. It also detects that the database has lost that event */
    cursor?: string | undefined
    /** Only events of this type */
    type?: "session.opened" | "session.submitted" | "attestation.pending" | "attestation.verified" | "attestation.rejected" | "attestation.expired" | "attestation.expiring" | "operation.confirmed" | "operation.failed" | "token.changed" | "token.paused" | "token.resumed" | "investor.frozen" | "investor.unfrozen" | "wallet.frozen" | "wallet.unfrozen" | "hold.created" | "hold.released" | "hold.executed" | "hold.expired" | "recovery.updated" | "snapshot.ready" | "distribution.updated" | "quota.threshold" | "review.opened" | "review.decided" | "approval.requested" | "approval.decided" | undefined
    /** Only entries at this time or later */
    created_after?: string | undefined
    /** Only entries before this time */
    created_before?: string | undefined
    /** Maximum number of events */
    limit?: number | undefined
  }, options?: RequestOptions): EventPages<EventList>

  /** Create a webhook endpoint. From now on, Vouch sends each event of the workspace to your address, signed with Standard Webhooks. A workspace can have 20 endpoints, each with a different address. */
  createWebhookEndpoint(params: CreateWebhookEndpointRequest, options?: RequestOptions): Promise<WebhookEndpointWithSecret>

  /** List webhook endpoints. All webhook endpoints of the workspace, newest first. */
  listWebhookEndpoints(params?: Record<never, never>, options?: RequestOptions): Promise<WebhookEndpointList>

  /** Get a webhook endpoint. Returns the endpoint, and whether it accepts its events. */
  getWebhookEndpoint(params: {
    /** The endpoint's id */
    id: string
  }, options?: RequestOptions): Promise<WebhookEndpoint>

  /** Change a webhook endpoint. Changes which events are sent, and where, from now on. Events of a disabled endpoint are kept and delivered once it is enabled again. */
  changeWebhookEndpoint(params: {
    /** The endpoint's id */
    id: string
  } & ChangeWebhookEndpointRequest, options?: RequestOptions): Promise<WebhookEndpoint>

  /** Delete a webhook endpoint. Stops sending events to it and deletes its deliveries. */
  deleteWebhookEndpoint(params: {
    /** The endpoint's id */
    id: string
  }, options?: RequestOptions): Promise<DeletedWebhookEndpoint>

  /** Get a webhook endpoint's secret. Returns the secret that lets you check that an event comes from Vouch. */
  getWebhookSecret(params: {
    /** The endpoint's id */
    id: string
  }, options?: RequestOptions): Promise<WebhookSecret>

  /** Rotate a webhook endpoint's secret. Creates a new secret. Until the overlap ends, events carry a signature of each secret in one header. */
  rotateWebhookSecret(params: {
    /** The endpoint's id */
    id: string
  } & RotateWebhookSecretRequest, options?: RequestOptions): Promise<WebhookEndpointWithSecret>

  /** Send a test event. Sends an event of the type `webhook.test` at once and returns the endpoint's response, after at most 15 s. The event has no sequence number and is not retried. The response does not change the endpoint's state. */
  testWebhookEndpoint(params: {
    /** The endpoint's id */
    id: string
  }, options?: RequestOptions): Promise<WebhookTest>

  /** Replay events. Sends events again with the same ids: one event, all of the endpoint's types after a position or since a time, or all that failed since a time. The position is the `cursor` of the last event that you have. If a failover or a restore of the database lost that event, the response is 410 `events_rewound`: replay from the cursor in the header `Resume-Cursor`, and ignore events whose `id` you have. */
  replayWebhooks(params: {
    /** The endpoint's id */
    id: string
  } & ReplayWebhooksRequest, options?: RequestOptions): Promise<WebhookReplay>

  /** List deliveries. Events sent to an endpoint and those that wait, newest first. Kept as long as events are. */
  listWebhookDeliveries(params: {
    /** The endpoint's id */
    id: string
    /** Only deliveries with this status */
    status?: "pending" | "delivered" | "failed" | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<WebhookDeliveryList>

  /** Get a delivery. Returns the delivery with its attempts and the endpoint's responses. */
  getWebhookDelivery(params: {
    /** The endpoint's id */
    id: string
    /** An event's id */
    event_id: string
  }, options?: RequestOptions): Promise<WebhookDeliveryDetail>

  /** Get the service's health. 503 with the same body when the database is unreachable. Without a valid API key, a server with a public URL returns a short report: `status`, `version` and `checks`, in which most problems are only `degraded`. Send an API key for the full report. */
  getHealth(params?: Record<never, never>, options?: RequestOptions): Promise<Health>

  /** Get a session. Returns the state of a verification session. */
  getSession(params: {
    /** The session's id */
    id: string
  }, options?: RequestOptions): Promise<SessionRecord>

  /** List sessions. Newest first. Pages stay stable while sessions are added. */
  listSessions(params?: {
    /** Only sessions in this state */
    state?: SessionState | undefined
    /** Only sessions whose attestation has this status */
    status?: AttestationStatus | undefined
    /** Wallet address, base58 of 32 bytes */
    pubkey?: string | undefined
    /** Schema id */
    schema?: string | undefined
    /** Only sessions with this externalId */
    external_id?: string | undefined
    /** Only sessions of this investor */
    investor?: string | undefined
    /** Created at this time or later */
    created_after?: string | undefined
    /** Created before this time */
    created_before?: string | undefined
    /** Maximum number of results per page */
    limit?: number | undefined
    /** next_cursor of the previous page; without it, the first page */
    cursor?: string | undefined
  }, options?: RequestOptions): Pages<SessionList>

  /** Cancel a session. Ends a session without a decision and gives its unit of quota back. The hosted page tells the investor. A session that has ended is returned unchanged. An approved session is refused: revoke its attestation instead. */
  cancelSession(params: {
    /** The session's id */
    id: string
  } & CancelSessionRequest, options?: RequestOptions): Promise<SessionRecord>

  /** Decide a sandbox session. For tests without a browser: decides a sandbox session as its form would. Test mode only. After `approved`, poll the wallet's status until it is verified. A session that has ended is returned unchanged. */
  decideTestSession(params: {
    /** The session's id */
    id: string
  } & DecideTestSessionRequest, options?: RequestOptions): Promise<SessionRecord>

  /** Erase a wallet's data. Erases the data about the person behind a wallet: pending and verified attestations end, credentials are destroyed on chain within seconds, vendors are asked to delete their data, and claims, salts, your own ids, reasons, notes, stored answers and logged requests are erased. The wallet's address stays, with ids, times and amounts. You cannot undo this. A repeated request returns the same erasure. Other wallets of the investor keep their data and are no longer tied to this one. */
  eraseWallet(params: {
    /** Wallet address, base58 of 32 bytes */
    pubkey: string
  }, options?: RequestOptions): Promise<Erasure>

  /** Erase an investor's data. Erases the data about an investor, with all of their wallets: pending and verified attestations end, credentials are destroyed on chain within seconds, vendors are asked to delete their data, and claims, salts, your own ids, reasons, notes, stored answers and logged requests are erased. The addresses of the wallets stay, with ids, times and amounts. You cannot undo this. A repeated request returns the same erasure. */
  eraseInvestor(params: {
    /** The investor's id */
    id: string
  }, options?: RequestOptions): Promise<Erasure>

  /** Get an erasure. Returns what was erased, and how far vendors are with deleting their data. */
  getErasure(params: {
    /** The erasure's id */
    id: string
  }, options?: RequestOptions): Promise<Erasure>
}

/** Each method's endpoint. */
export const routes = {
  startVerification: ["POST","/kyc/start"],
  getWalletStatus: ["GET","/kyc/status/{pubkey}"],
  getAttestation: ["GET","/attestation/{id}"],
  listAttestations: ["GET","/attestations","pages"],
  revokeAttestation: ["POST","/attestation/{id}/revoke"],
  listInvestors: ["GET","/investors","pages"],
  getInvestor: ["GET","/investor/{id}"],
  listApprovals: ["GET","/approvals","pages"],
  getApproval: ["GET","/approval/{id}"],
  withdrawApproval: ["POST","/approval/{id}/withdraw"],
  listApprovalPolicies: ["GET","/approval-policies"],
  createApprovalPolicy: ["POST","/approval-policies"],
  changeApprovalPolicy: ["PATCH","/approval-policy/{id}"],
  deleteApprovalPolicy: ["DELETE","/approval-policy/{id}"],
  listSchemas: ["GET","/schemas"],
  createSchema: ["POST","/schemas"],
  getSchema: ["GET","/schema/{id}"],
  changeSchema: ["PATCH","/schema/{id}"],
  getKey: ["GET","/key"],
  mintTokens: ["POST","/token/mint"],
  transferTokens: ["POST","/token/transfer"],
  burnTokens: ["POST","/token/burn"],
  forceTransferTokens: ["POST","/token/force-transfer"],
  preflightMovement: ["POST","/token/preflight"],
  freezeWallet: ["POST","/token/freeze"],
  unfreezeWallet: ["POST","/token/unfreeze"],
  getOperation: ["GET","/token/operation/{id}"],
  listOperations: ["GET","/token/operations","pages"],
  getBalance: ["GET","/token/balance/{pubkey}"],
  listBalances: ["GET","/token/balances/{pubkey}"],
  listLots: ["GET","/token/lots/{pubkey}","pages"],
  listHolders: ["GET","/token/holders/{mint_config}","pages"],
  getRegister: ["GET","/token/register/{mint_config}","pages"],
  placeHold: ["POST","/token/holds"],
  listHolds: ["GET","/token/holds","pages"],
  getHold: ["GET","/token/hold/{id}"],
  executeHold: ["POST","/token/hold/{id}/execute"],
  releaseHold: ["POST","/token/hold/{id}/release"],
  requestRecovery: ["POST","/investor/{id}/recoveries"],
  listRecoveries: ["GET","/investor/{id}/recoveries","pages"],
  getRecovery: ["GET","/recovery/{id}"],
  cancelRecovery: ["POST","/recovery/{id}/cancel"],
  createSnapshot: ["POST","/snapshots"],
  listSnapshots: ["GET","/snapshots","pages"],
  getSnapshot: ["GET","/snapshot/{id}"],
  getSnapshotHoldersCsv: ["GET","/snapshot/{id}/holders.csv","csv"],
  listSnapshotHolders: ["GET","/snapshot/{id}/holders","pages"],
  createDistribution: ["POST","/distributions"],
  listDistributions: ["GET","/distributions","pages"],
  getDistribution: ["GET","/distribution/{id}"],
  listPayouts: ["GET","/distribution/{id}/payouts","pages"],
  startDistribution: ["POST","/distribution/{id}/start"],
  pauseDistribution: ["POST","/distribution/{id}/pause"],
  cancelDistribution: ["POST","/distribution/{id}/cancel"],
  getPayout: ["GET","/payout/{id}"],
  releasePayout: ["POST","/payout/{id}/release"],
  retryPayout: ["POST","/payout/{id}/retry"],
  markPayoutPaid: ["POST","/payout/{id}/mark-paid"],
  getTreasury: ["GET","/treasury"],
  createMintConfig: ["POST","/mint-configs"],
  listMintConfigs: ["GET","/mint-configs"],
  getMintConfig: ["GET","/mint-config/{id}"],
  changeMintConfig: ["PATCH","/mint-config/{id}"],
  pauseMintConfig: ["POST","/mint-config/{id}/pause"],
  unpauseMintConfig: ["POST","/mint-config/{id}/unpause"],
  getUsage: ["GET","/usage"],
  getUsageHistory: ["GET","/usage/history"],
  listEvents: ["GET","/events","events"],
  createWebhookEndpoint: ["POST","/webhook-endpoints"],
  listWebhookEndpoints: ["GET","/webhook-endpoints"],
  getWebhookEndpoint: ["GET","/webhook-endpoint/{id}"],
  changeWebhookEndpoint: ["PATCH","/webhook-endpoint/{id}"],
  deleteWebhookEndpoint: ["DELETE","/webhook-endpoint/{id}"],
  getWebhookSecret: ["GET","/webhook-endpoint/{id}/secret"],
  rotateWebhookSecret: ["POST","/webhook-endpoint/{id}/rotate-secret"],
  testWebhookEndpoint: ["POST","/webhook-endpoint/{id}/test"],
  replayWebhooks: ["POST","/webhook-endpoint/{id}/replay"],
  listWebhookDeliveries: ["GET","/webhook-endpoint/{id}/deliveries","pages"],
  getWebhookDelivery: ["GET","/webhook-endpoint/{id}/deliveries/{event_id}"],
  getHealth: ["GET","/health"],
  getSession: ["GET","/kyc/session/{id}"],
  listSessions: ["GET","/kyc/sessions","pages"],
  cancelSession: ["POST","/kyc/session/{id}/cancel"],
  decideTestSession: ["POST","/test/sessions/{id}/decide"],
  eraseWallet: ["POST","/wallets/{pubkey}/erase"],
  eraseInvestor: ["POST","/investor/{id}/erase"],
  getErasure: ["GET","/erasure/{id}"],
} as const
