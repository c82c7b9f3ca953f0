import type { Queryable } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import type { Caller, Member } from "#domain/requests"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { reviewDecisions } from "#shared/review-decisions.ts"
import type { ReviewState } from "#shared/reviews.ts"

const lockedColumns = columns(
  "reviews",
  "workspace_id, id, kind, attestation_id, wallet, investor_id, version, assignee, claims, decision, reason",
  "public_reason, approved_claims, requested_by, decided_by, erased_at",
)
export type LockedReview = RowOf<typeof lockedColumns> & {
  state: ReviewState
  /** Ids of the attestations in force that it is about, locked too. For a reversal, the rejected one. */
  attestations: string[]
  requester: string | null
  decider: string | null
}

/** A member of the workspace, and the version of the review that they saw. */
export type Acting = Caller<Member> & { reviewId: string; version: number }

/** Whether a decision of review `r` waits for the approval of further members. */
export const awaitsApproval = (sql: Queryable) => sql`
  (r.state = 'requested' and exists (select from approvals p where p.workspace_id = r.workspace_id and p.subject = r.id
    and p.state = 'pending' and p.expires_at > ${clock.now()}))`

/** The state of review `r`: once a request has ended without a decision, the review is open again. */
export const reviewState = (sql: Queryable) => sql`
  case when r.state = 'requested' and not ${awaitsApproval(sql)} then 'open' else r.state end`

/** The investor of review `r`, if it is about a person. Follows a merged investor. */
export const investorOfReview = (sql: Queryable) => sql`
  coalesce((select i.merged_into from investors i
    where i.workspace_id = r.workspace_id and i.id = r.investor_id), r.investor_id)`

export const reviewNotFound = (id: string): never =>
  fail("review_not_found", `${id} is not a review of this workspace.`)

/** Locks the attestations of a review and then the review, in a vendor's event's order. Errors: review_not_found. */
export async function lockReview(sql: Queryable, workspaceId: string, id: string): Promise<LockedReview> {
  if (!isId("rev", id)) return reviewNotFound(id)
  // Lock the investor, because a merge would move its attestations to another investor.
  await sql`
    select from reviews r join investors i on i.workspace_id = r.workspace_id and i.id = r.investor_id
    where r.workspace_id = ${workspaceId} and r.id = ${id} for share of i`
  const attestations = await sql<{ id: string }[]>`
    select a.id from reviews r join attestations a on a.workspace_id = r.workspace_id
      and case when r.attestation_id is not null then a.id = r.attestation_id
        when r.wallet is not null then a.wallet = r.wallet
        else a.investor_id = ${investorOfReview(sql)} end
    where r.workspace_id = ${workspaceId} and r.id = ${id} 
      and (a.status in ('pending', 'verified') or r.kind = 'reversal')
    order by a.seq for update of a`
  const [review] = await sql<Omit<LockedReview, "attestations">[]>`
    select ${sql(lockedColumns.map((name) => `r.${name}`))}, q.name as requester, d.name as decider,
      ${reviewState(sql)} as state
    from reviews r left join users q on q.id = r.requested_by left join users d on d.id = r.decided_by
    where r.workspace_id = ${workspaceId} and r.id = ${id} for update of r`
  if (!review) return reviewNotFound(id)
  return { ...review, attestations: attestations.map((one) => one.id) }
}

/** Errors: review_changed, if the review has changed since the member saw it. */
export function requireSeen(review: LockedReview, version: number): void {
  const { state, decision, decider, requester } = review
  const past = decision === null ? "" : reviewDecisions[decision].past.toLowerCase()
  if (state === "closed" && decision !== null)
    fail("review_changed", `${decider ?? "A former member"} has already decided this review: ${past}.`)
  if (state === "closed") fail("review_changed", "This review has closed, so there is nothing to decide.")
  if (review.version === version) return
  if (state === "requested")
    fail("review_changed", `${requester ?? "A former member"} has already requested a decision: ${past}.`)
  fail("review_changed", "This review has changed since you opened it. Look at it again, then decide.")
}
