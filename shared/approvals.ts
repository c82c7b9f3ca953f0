import { isMovementKind, type MovementKind } from "./movements.ts"
import type { Permission } from "./scopes.ts"

// What two people decide together, in the words of the API.

/** The acts that a policy can name, with their names on screens, which are verbs. */
export const approvalActions = {
  mint: "Mint",
  transfer: "Transfer",
  burn: "Redeem",
  force_transfer: "Force a transfer",
  hold_release: "Release a hold",
  hold_execute: "Execute a hold",
  recovery: "Recover a lost wallet",
  distribution: "Pay a distribution",
  while_paused: "Redeem or force a transfer while paused",
  lot_backdate: "Mint with a date in the past",
  unfreeze: "Unfreeze a wallet",
  unpause: "Unpause a token",
  config_change: "Change a token",
  review_decision: "Decide a review",
  session_cancel: "Cancel a session",
  attestation_revoke: "Revoke a pending verification",
  attestation_revoke_bulk: "Revoke many verifications",
  erase: "Erase a person’s data",
  key_create: "Create or rotate an API key",
  policy_change: "Change an approval policy",
} as const
export type ApprovalAction = keyof typeof approvalActions
export const allApprovalActions = Object.keys(approvalActions) as [ApprovalAction, ...ApprovalAction[]]

/** The acts for which a policy can set a minimum amount. */
export const amountActions: readonly ApprovalAction[] = [
  "mint",
  "transfer",
  "burn",
  "force_transfer",
  "hold_release",
  "hold_execute",
  "distribution",
  "while_paused",
  "lot_backdate",
]

/** The acts that are about one token. A policy about a token could never bind the others. */
export const tokenActions: readonly ApprovalAction[] = [...amountActions, "unfreeze", "unpause", "config_change"]

/**
 * What only adds to a request: one that passes a pause is still a burn, a forced transfer or the execution of a hold, and
 * one with an earlier date is still a mint.
 */
type AddedAction = "while_paused" | "lot_backdate"
const isAdded = (action: ApprovalAction): action is AddedAction =>
  action === "while_paused" || action === "lot_backdate"

/** What a request can be. */
export type RequestedAction = Exclude<ApprovalAction, AddedAction>
export const requestedActions = allApprovalActions.filter((action) => !isAdded(action)) as [
  RequestedAction,
  ...RequestedAction[],
]

/** What a requester must still be allowed when the request is approved. */
export const requestedWith: Record<RequestedAction, Permission> = {
  mint: "token:mint",
  transfer: "token:transfer",
  burn: "token:burn",
  force_transfer: "token:control",
  hold_release: "token:control",
  hold_execute: "token:control",
  recovery: "investor:recover",
  distribution: "distribution:write",
  unfreeze: "token:control",
  unpause: "config:write",
  config_change: "config:write",
  review_decision: "review:write",
  session_cancel: "kyc:write",
  attestation_revoke: "attestation:write",
  attestation_revoke_bulk: "attestation:write",
  erase: "investor:erase",
  key_create: "key:write",
  policy_change: "config:write",
}

/** The kind of movement that an act is; null if it moves nothing. */
export const movementOf = (action: RequestedAction): MovementKind | null =>
  action === "hold_execute" ? "force_transfer" : isMovementKind(action) ? action : null

/** Only `pending` is not final. `void`: the request's policy or rules have changed, so it must be made again. */
export const approvalStates = ["pending", "approved", "rejected", "withdrawn", "expired", "void"] as const
export type ApprovalState = (typeof approvalStates)[number]

/** The roles that can approve. */
export const approverRoles = ["owner", "compliance"] as const
export type ApproverRole = (typeof approverRoles)[number]

/** The most members whose approval a policy can require, and the longest time that a request can wait. */
export const MOST_APPROVALS = 3
export const MOST_HOURS = 336

/** How long an approved key can be collected by the member who requested it. */
export const COLLECT_DAYS = 7

/** How recently an approver has used their second factor. */
export const FRESH_MINUTES = 5
