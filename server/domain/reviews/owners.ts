import { sql } from "#db/client.ts"
import { recordChange } from "#domain/audit-log"
import { seal, unseal } from "#domain/deployment"
import { type Caller, requireScope } from "#domain/requests"
import type { Claims } from "#shared/claims.ts"
import { awaitsApproval, reviewNotFound } from "./lock.ts"

// Sealing contexts of a review's parts, so that one part cannot replace another.

export const reasonOwner = (reviewId: string): string => `${reviewId} reason`
export const claimsOwner = (reviewId: string): string => `${reviewId} claims`
export const entryOwner = (reviewId: string): string => `${reviewId} entry`

export const openReviewClaims = (reviewId: string, sealed: Buffer | null): Claims =>
  sealed === null ? {} : JSON.parse(unseal(claimsOwner(reviewId), sealed))
export const sealReviewClaims = (reviewId: string, claims: Claims): Buffer =>
  seal(claimsOwner(reviewId), JSON.stringify(claims))

/**
 * Claims that the vendor sent without a decision, or those of an approval that waits for further members. The audit log
 * records each read, and commits before the claims are shown. Errors: review_not_found, insufficient_scope.
 */
export async function readReviewClaims({ reviewId, ...caller }: Caller & { reviewId: string }): Promise<Claims> {
  requireScope(caller.principal, "claims:read")
  const { workspaceId } = caller.principal
  const sealed = await sql.begin(async (sql) => {
    const [row] = await sql<{ claims: Buffer | null }[]>`
      select coalesce(case when ${awaitsApproval(sql)} then r.approved_claims end, r.claims) as claims from reviews r
      where r.workspace_id = ${workspaceId} and r.id = ${reviewId}`
    if (!row) return reviewNotFound(reviewId)
    await recordChange(sql, workspaceId, { author: caller, action: "claims.viewed", subject: reviewId })
    return row.claims
  })
  return openReviewClaims(reviewId, sealed)
}
