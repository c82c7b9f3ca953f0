import type { RequestedAction } from "#shared/approvals.ts"
import type { Action } from "./action.ts"
import { distribution } from "./distribution.ts"
import { holdRelease } from "./hold-release.ts"
import { keyCreate } from "./key-create.ts"
import { configChange, unpause } from "./mint-config.ts"
import { movement } from "./movement.ts"
import { policyChange } from "./policy-change.ts"
import { recovery } from "./recovery.ts"
import { reviewDecision } from "./review-decision.ts"
import { unfreeze } from "./unfreeze.ts"
import { attestationRevoke, bulkRevocation, erase, sessionCancel } from "./verification.ts"

/** How each act is done once it is approved. */
export const actions: Record<RequestedAction, Action> = {
  mint: movement("mint"),
  transfer: movement("transfer"),
  burn: movement("burn"),
  force_transfer: movement("force_transfer"),
  // It is a forced transfer out of the hold.
  hold_execute: movement("force_transfer"),
  hold_release: holdRelease,
  recovery,
  distribution,
  unfreeze,
  unpause,
  config_change: configChange,
  review_decision: reviewDecision,
  session_cancel: sessionCancel,
  attestation_revoke: attestationRevoke,
  attestation_revoke_bulk: bulkRevocation,
  erase,
  key_create: keyCreate,
  policy_change: policyChange,
}
