import type { Queryable, Transaction } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { doneOf, type Replay, underPolicy } from "#domain/approvals"
import { type AuditAction, recordChange } from "#domain/audit-log"
import { seal, unseal } from "#domain/deployment"
import { changeAs, requireAdmitted } from "#domain/people"
import type { Caller, Member } from "#domain/requests"
import {
  type Acting,
  type LockedReview,
  lockReview,
  openReviewClaims,
  reasonOwner,
  requireSeen,
  sealReviewClaims,
} from "#domain/reviews"
import { clock } from "#server/lib/time.ts"
import { type Claims, claimNames } from "#shared/claims.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"
import { reviewKinds } from "#shared/reviews.ts"
import { effects } from "./effects.ts"

export type Decision = {
  decision: ReviewDecision
  reason: string
  /** For the investor; null for the default. */
  publicReason: PublicReason | null
  /** Claims of an approval; null for the vendor's. */
  claims: Claims | null
}

/**
 * Decides a review, or asks for the approval of further members. Of two simultaneous decisions one counts, and the other
 * fails. Errors: review_not_found, review_changed, validation_failed, insufficient_scope, chain_unavailable,
 * approver_missing; throws AwaitingApproval.
 */
export async function decideReview(acting: Acting, given: Decision): Promise<{ review_id: string; state: "closed" }> {
  const decided = await act(acting, async (sql, review) => {
    await requireAdmitted(sql, review.workspace_id, acting.principal.via.userId)
    requireSeen(review, acting.version)
    const decision = checked(review, given)
    const ready = { ...decision, claims: claimsOf(review, decision) }
    const outcome = await underPolicy(sql, review.workspace_id, boundBy(acting, review, ready.decision, +1), (sql) =>
      settle(sql, acting, review, ready),
    )
    if ("waits" in outcome) await ask(sql, acting, review, ready)
    return outcome
  })
  doneOf(decided)
  return { review_id: acting.reviewId, state: "closed" }
}

/** Makes the decision that a review holds, as further members approve it. */
export const redoReviewDecision = (
  { replay, ...caller }: Caller<Member> & { replay: Replay },
  reviewId: string,
): Promise<unknown> =>
  act({ ...caller, reviewId }, async (sql, review) => {
    const { id, state, decision, public_reason: publicReason, reason: sealed, approved_claims } = review
    if (state !== "requested" || decision === null || sealed === null)
      return fail("review_changed", "The review has changed since.")
    const ready = { decision, reason: unseal(reasonOwner(id), sealed), publicReason }
    const claims = openReviewClaims(id, approved_claims)
    return underPolicy(sql, review.workspace_id, { ...boundBy(caller, review, decision, 0), replay }, (sql) =>
      settle(sql, caller, review, { ...ready, claims }),
    )
  })

/**
 * A decision as an approval has it. The review holds the reason and the claims, sealed, and changes its version with
 * them, so the version stands for them.
 */
const boundBy = (author: Caller, { id, version }: LockedReview, decision: ReviewDecision, step: 0 | 1) => ({
  action: "review_decision" as const,
  subject: id,
  request: { review_id: id, decision },
  rules: String(version + step),
  author,
  idempotency: null,
})

/** The checks and the locking that every action on a review needs. */
async function act<Result>(
  { reviewId, ...caller }: Omit<Acting, "version">,
  work: (sql: Transaction, review: LockedReview) => Promise<Result>,
): Promise<Result> {
  const { workspaceId } = caller.principal
  const result = await changeAs(caller, "review:write", async (sql) => {
    return work(sql, await lockReview(sql, workspaceId, reviewId))
  })
  publish("ledger")
  return result
}

/** Errors: review_changed, validation_failed. */
function checked({ kind, state, requester }: LockedReview, given: Decision): Decision {
  if (state === "requested")
    fail("review_changed", `${requester ?? "A former member"} requested a decision. Approve or reject it first.`)
  const possible: readonly ReviewDecision[] = reviewKinds[kind].decisions
  if (!possible.includes(given.decision))
    fail("validation_failed", `decision: must be one of ${possible.join(", ")} for this review.`)
  if (given.publicReason !== null && !reviewDecisions[given.decision].showsReason)
    fail("validation_failed", `public_reason: the investor sees nothing about ${given.decision}. Leave it out.`)
  if (given.claims !== null && given.decision !== "approve")
    fail("validation_failed", "claims: only an approval has claims. Leave them out.")
  return given
}

const claimsOf = ({ id, claims }: LockedReview, { decision, claims: given }: Decision): Claims => {
  if (decision !== "approve") return {}
  const sent = openReviewClaims(id, claims)
  if (given === null) return sent
  const { unknown_country } = sent
  // If the member enters no country, keep the vendor's unknown code.
  return given.country === undefined && unknown_country !== undefined ? { ...given, unknown_country } : given
}

type Ready = Decision & { claims: Claims }

async function ask(sql: Queryable, acting: Acting, review: LockedReview, ready: Ready): Promise<void> {
  const { id, workspace_id } = review
  const { decision, reason, publicReason, claims } = ready
  const sealed = decision === "approve" ? sealReviewClaims(id, claims) : null
  await sql`
    update reviews set state = 'requested', version = version + 1, decision = ${decision},
      reason = ${seal(reasonOwner(id), reason)}, public_reason = ${publicReason}, approved_claims = ${sealed},
      requested_by = ${acting.principal.via.userId}, requested_at = ${clock.now()}
    where workspace_id = ${workspace_id} and id = ${id}`
  await note(sql, acting, review, "review.requested", { decision, ...changedClaims(review, ready) })
}

async function settle(sql: Queryable, author: Caller<Member>, review: LockedReview, ready: Ready): Promise<void> {
  const { id, workspace_id } = review
  const { decision, reason, publicReason, claims } = ready
  const now = clock.now()
  await sql`
    update reviews set state = 'closed', ending = 'decided', version = version + 1, closed_at = ${now},
      decided_at = ${now}, decided_by = ${author.principal.via.userId}, decision = ${decision},
      reason = ${seal(reasonOwner(id), reason)}, public_reason = ${publicReason}, claims = null, approved_claims = null,
      requested_by = ${review.state === "requested" ? review.requested_by : null}
    where workspace_id = ${workspace_id} and id = ${id}`
  await note(sql, author, review, "review.decided", {
    decision,
    ...(review.state === "requested" && { requested_by: review.requester }),
    ...(review.state === "open" && changedClaims(review, ready)),
  })
  await effects[decision](sql, { review, author, reason, publicReason, claims, now })
}

/** Names of the claims in which an approval differs from the vendor's. Never their values. */
function changedClaims({ id, claims: sent }: LockedReview, { decision, claims }: Ready) {
  if (decision !== "approve") return {}
  const before = openReviewClaims(id, sent)
  const changed = claimNames.filter((name) => before[name] !== claims[name])
  return changed.length > 0 ? { claims_entered: changed } : {}
}

/** Adds an entry to the audit log, without reasons and findings, because its entries can never be erased. */
const note = (
  sql: Queryable,
  author: Caller,
  { workspace_id, id, kind }: LockedReview,
  action: AuditAction,
  detail: Record<string, unknown>,
): Promise<void> => recordChange(sql, workspace_id, { author, action, subject: id, detail: { kind, ...detail } })
