import type { ApprovalState } from "#shared/approvals.ts"
import type { MovementKind } from "#shared/movements.ts"

/**
 * What can happen to each kind of object. Entries are permanent, so an action stays here when nothing writes it any more.
 * The dashboard has a sentence for each (`server/dashboard/audit-log/sentences.ts`).
 */
type Actions = {
  account: "branded" | "budget_changed" | "created" | "plan_changed" | "renamed" | "security_changed"
  approval: Exclude<ApprovalState, "pending"> | "given" | "requested"
  approval_policy: "changed" | "created" | "deleted"
  attestation: "decided_manually" | "revoked"
  audit_log: "entries_lost"
  bulk_revocation: "started" | "stopped"
  claims: "viewed"
  distribution: "cancelled" | "completed" | "created" | "paused" | "resumed" | "started"
  hold: "created" | "released"
  investor: "erased" | "note_added" | "note_deleted" | "note_edited" | "vendor_confirmed"
  key: "created" | "revoked" | "rotated"
  ledger: "quarantine_lifted"
  member: "admitted" | "invitation_revoked" | "invited" | "joined" | "removed" | "renamed" | "role_changed"
  mint_config: "changed" | "created" | "paused" | "unpaused"
  operation: "resolved"
  payout: "marked_paid" | "released" | "retried"
  policies: "changed"
  recovery: "begun" | "cancelled" | "completed" | "failed" | "requested"
  reminders: "turned_off" | "turned_on"
  review: "assigned" | "closed" | "decided" | "found" | "noted" | "opened" | "request_voided" | "requested"
  reviews: "assigned"
  schema: "changed" | "created"
  session: "cancelled" | "started"
  signer: "set"
  snapshot: "created" | "ready"
  token: `${MovementKind}_${"requested" | "confirmed"}`
  wallet: "barred" | "cleared" | "erased" | "frozen" | "left_list" | "unbarred" | "unfrozen"
  webhook: "changed" | "created" | "deleted" | "disabled" | "enabled" | "replayed" | "secret_rotated"
}

/** What an entry says happened, such as `key.created`. */
export type AuditAction = { [Name in keyof Actions]: `${Name}.${Actions[Name]}` }[keyof Actions]
