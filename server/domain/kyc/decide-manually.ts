import type { Queryable } from "#db/client.ts"
import { statusAt } from "#domain/attestations"
import type { ProviderDecision } from "#domain/providers"
import { approvalOn } from "./approve.ts"
import { pendingEffects } from "./decide.ts"
import { isApproved, lockDecided } from "./decided-session.ts"
import { takeEffect } from "./take-effect.ts"

/**
 * Applies a member's decision about a session that its vendor left in review, in the transaction that closes the
 * review. It has the same effect as the vendor's decision, and the record says that a member made it. False if nothing
 * is left to decide. The caller publishes `ledger` and the activity after the commit. Errors: chain_unavailable.
 */
export async function applyManualDecision(
  sql: Queryable,
  about: {
    workspaceId: string
    attestationId: string
    reviewId: string
    decision: "approved" | "rejected" | "resubmission_requested"
    now: Date
  } & Pick<ProviderDecision, "claims" | "reason" | "publicReason">,
): Promise<boolean> {
  const { workspaceId, attestationId, reviewId, decision, now, ...event } = about
  const row = await lockDecided(sql, sql`a.workspace_id = ${workspaceId} and a.id = ${attestationId}`)
  if (!row || statusAt(row, now) !== "pending" || isApproved(row)) return false
  const effect = decision === "approved" ? approvalOn(row, now, now) : pendingEffects[decision]
  await takeEffect(sql, row, { event: { ...event, decision, occurredAt: now }, effect, reviewId, now })
  return true
}
