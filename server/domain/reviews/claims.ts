import { sql } from "#db/client.ts"
import { recordChange } from "#domain/audit-log"
import { unseal } from "#domain/deployment"
import { type Principal, requireScope } from "#domain/requests"
import type { Claims } from "#shared/claims.ts"
import { reviewNotFound } from "./lock.ts"
import { claimsOwner } from "./owners.ts"

/**
 * Claims that the vendor sent without a decision, or those of an approval that waits for confirmation. The audit log
 * records each read, and commits before the claims are shown. Errors: review_not_found, insufficient_scope.
 */
export async function readReviewClaims({
  principal,
  requestId,
  reviewId,
}: {
  principal: Principal
  requestId: string
  reviewId: string
}): Promise<Claims> {
  requireScope(principal, "claims:read")
  const { workspaceId } = principal
  const sealed = await sql.begin(async (sql) => {
    const [row] = await sql<{ claims: Buffer | null }[]>`
      select coalesce(approved_claims, claims) as claims from reviews
      where workspace_id = ${workspaceId} and id = ${reviewId}`
    if (!row) return reviewNotFound(reviewId)
    const author = { principal, requestId }
    await recordChange(sql, workspaceId, { author, action: "claims.viewed", subject: reviewId })
    return row.claims
  })
  return sealed === null ? {} : JSON.parse(unseal(claimsOwner(reviewId), sealed))
}
