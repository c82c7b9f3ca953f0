import type { Queryable } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { seal, unseal } from "#domain/deployment"
import { changeAs, requireAdmitted, stillHasPermission } from "#domain/people"
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
import { type ReviewDecision, reviewDecisions, reviewKinds } from "#shared/reviews.ts"
import { effects } from "./effects.ts"

export type Decision = {
  decision: ReviewDecision
  reason: string
  /** For the investor; null for the default. */
  publicReason: PublicReason | null
  /** Claims of an approval; null for the vendor's. */
  claims: Claims | null
}

export type Decided = { review_id: string; state: "requested" | "closed" }

/**
 * Decides a review. If the account requires four eyes, requests the decision, which another member must confirm. Of two
 * simultaneous decisions one counts, and the other fails. Errors: review_not_found, review_changed, validation_failed,
 * insufficient_scope, chain_unavailable.
 */
export async function decideReview(acting: Acting, given: Decision): Promise<Decided> {
  const state = await act(acting, async (sql, review) => {
    const decision = checked(review, given)
    const claims = claimsOf(review, decision)
    if (!review.four_eyes) return settle(sql, acting, review, { ...decision, claims })
    await ask(sql, acting, review, { ...decision, claims })
    return "requested"
  })
  return { review_id: acting.reviewId, state }
}

/**
 * Confirms the decision that another member requested. Errors: review_not_found, review_changed,
 * second_person_required, insufficient_scope, chain_unavailable.
 */
export async function confirmReview(acting: Acting): Promise<Decided> {
  const { userId } = acting.principal.via
  const state = await act(acting, async (sql, review) => {
    const { id, state, requested_by, decision, public_reason, reason, approved_claims } = review
    if (state !== "requested" || decision === null || requested_by === null || reason === null)
      return fail("review_changed", "This review no longer waits for a confirmation. Reload it.")
    if (requested_by === userId)
      fail("second_person_required", "You requested this decision, so another member must confirm it.")
    // A request is void if its author can no longer decide.
    if (!(await stillHasPermission(sql, review.workspace_id, requested_by, "review:write"))) return "void"
    return settle(sql, acting, review, {
      decision,
      reason: unseal(reasonOwner(id), reason),
      publicReason: public_reason,
      claims: openReviewClaims(id, approved_claims),
    })
  })
  if (state !== "void") return { review_id: acting.reviewId, state }
  await act(acting, (sql, review) => takeBack(sql, acting, review))
  return fail(
    "review_changed",
    "The member who requested this decision can no longer decide reviews. Decide it yourself.",
  )
}

/**
 * Reopens a review whose decision waits for confirmation: the requester withdraws it, or another member returns it.
 * Errors: review_not_found, review_changed, insufficient_scope.
 */
export async function returnReview(acting: Acting): Promise<{ review_id: string; state: "open" }> {
  const state = await act(acting, (sql, review) => takeBack(sql, acting, review))
  return { review_id: acting.reviewId, state }
}

/** The checks and the locking that every action on a review needs. */
async function act<Result>(
  { reviewId, version, ...caller }: Acting,
  work: (sql: Queryable, review: LockedReview) => Promise<Result>,
): Promise<Result> {
  const { workspaceId, via } = caller.principal
  const result = await changeAs(caller, "review:write", async (sql) => {
    await requireAdmitted(sql, workspaceId, via.userId)
    const review = await lockReview(sql, workspaceId, reviewId)
    requireSeen(review, version)
    return work(sql, review)
  })
  publish("ledger")
  return result
}

/** Errors: review_changed, validation_failed. */
function checked({ kind, state, requester }: LockedReview, given: Decision): Decision {
  if (state === "requested")
    fail("review_changed", `${requester ?? "A former member"} requested a decision. Confirm or return it first.`)
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

async function settle(sql: Queryable, acting: Acting, review: LockedReview, ready: Ready): Promise<"closed"> {
  const { id, workspace_id } = review
  const { decision, reason, publicReason, claims } = ready
  const now = clock.now()
  await sql`
    update reviews set state = 'closed', ending = 'decided', version = version + 1, closed_at = ${now},
      decided_at = ${now}, decided_by = ${acting.principal.via.userId}, decision = ${decision},
      reason = ${seal(reasonOwner(id), reason)}, public_reason = ${publicReason}, claims = null, approved_claims = null
    where workspace_id = ${workspace_id} and id = ${id}`
  await note(sql, acting, review, "review.decided", {
    decision,
    ...(review.state === "requested" && { requested_by: review.requester }),
    ...(review.state === "open" && changedClaims(review, ready)),
  })
  await effects[decision](sql, { review, author: acting, reason, publicReason, claims })
  return "closed"
}

async function takeBack(sql: Queryable, acting: Acting, review: LockedReview): Promise<"open"> {
  const { id, workspace_id, state, decision, requested_by } = review
  if (state !== "requested") fail("review_changed", "This review no longer waits for a confirmation. Reload it.")
  await sql`
    update reviews set state = 'open', version = version + 1, decision = null, reason = null, public_reason = null,
      approved_claims = null, requested_by = null, requested_at = null
    where workspace_id = ${workspace_id} and id = ${id}`
  const isOwn = requested_by === acting.principal.via.userId
  await note(sql, acting, review, isOwn ? "review.request_withdrawn" : "review.returned", { decision })
  return "open"
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
  author: Acting,
  { workspace_id, id, kind }: LockedReview,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> => recordChange(sql, workspace_id, { author, action, subject: id, detail: { kind, ...detail } })
