import type { ApprovalAction } from "#shared/approvals.ts"
import type { Action } from "./action.ts"
import { movement } from "./movement.ts"
import { policyChange } from "./policy-change.ts"

/** How each act is done once it is approved. */
export const actions: Record<ApprovalAction, Action> = {
  mint: movement("mint"),
  transfer: movement("transfer"),
  burn: movement("burn"),
  force_transfer: movement("force_transfer"),
  policy_change: policyChange,
}
