import type { Queryable } from "#db/client.ts"
import { recordChanges, vouch } from "#domain/audit-log"
import { clock } from "#server/lib/time.ts"
import type { ReviewEnding } from "#shared/reviews.ts"

/**
 * Closes the reviews that vendors opened for attestations, or a reversal that a vendor withdrew, in the transaction
 * that leaves nothing to decide. A decision that waits for confirmation ends with it.
 */
export async function closeVendorReviews(
  sql: Queryable,
  workspaceId: string,
  attestationIds: readonly string[],
  ending: Exclude<ReviewEnding, "decided">,
  kind: "vendor" | "reversal" = "vendor",
): Promise<void> {
  const closed = await sql<{ id: string }[]>`
    update reviews set state = 'closed', ending = ${ending}, closed_at = ${clock.now()}, claims = null, approved_claims = null,
      decision = null, reason = null, public_reason = null, requested_by = null, requested_at = null
    where workspace_id = ${workspaceId} and attestation_id = any(${attestationIds as string[]}) and kind = ${kind}
      and state <> 'closed'
    returning id`
  if (closed.length === 0) return
  const changes = closed.map(({ id }) => ({
    author: vouch,
    action: "review.closed",
    subject: id,
    detail: { ending },
  }))
  await recordChanges(sql, workspaceId, changes)
}
