import type { ApprovalAction } from "#shared/approvals.ts"
import type { Action } from "./action.ts"
import { configChange, unpause } from "./mint-config.ts"
import { movement } from "./movement.ts"
import { policyChange } from "./policy-change.ts"
import { unfreeze } from "./unfreeze.ts"

/** How each act is done once it is approved. */
export const actions: Record<ApprovalAction, Action> = {
  mint: movement("mint"),
  transfer: movement("transfer"),
  burn: movement("burn"),
  force_transfer: movement("force_transfer"),
  unfreeze,
  unpause,
  config_change: configChange,
  policy_change: policyChange,
}
