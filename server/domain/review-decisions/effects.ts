import type { Queryable } from "#db/client.ts"
import { revokeIn } from "#domain/attestations"
import { type Author, type Change, recordChange } from "#domain/audit-log"
import { acceptReversal, applyHeld, applyManualDecision } from "#domain/kyc"
import type { LockedReview } from "#domain/reviews"
import { clearHits } from "#domain/screening"
import type { Claims } from "#shared/claims.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { ReviewDecision } from "#shared/review-decisions.ts"

type Deciding = {
  review: LockedReview
  author: Author
  reason: string
  publicReason: PublicReason | null
  /** Claims of an approval. */
  claims: Claims
  now: Date
}

type Effect = (sql: Queryable, deciding: Deciding) => Promise<void>

/** Decides a session as its vendor would have. Errors: review_changed, chain_unavailable. */
const inVendorsPlace =
  (decision: "approved" | "rejected" | "resubmission_requested"): Effect =>
  async (sql, { review, author, reason, publicReason, claims, now }) => {
    const { workspace_id: workspaceId, id: reviewId, attestation_id: attestationId } = review
    const decided =
      attestationId !== null &&
      (await applyManualDecision(sql, {
        workspaceId,
        attestationId,
        reviewId,
        decision,
        claims,
        reason: decision === "rejected" ? reason : null,
        publicReason,
        now,
      }))
    if (!decided) fail("review_changed", "The session has expired or ended, so there is nothing to decide.")
    const detail = { decision, review: reviewId }
    const change: Change = { author, action: "attestation.decided_manually", subject: attestationId!, detail }
    await recordChange(sql, workspaceId, change)
  }

/** Approves in the vendor's place, or accepts the vendor's reversal. */
const approve: Effect = async (sql, deciding) => {
  const { review, author, claims } = deciding
  const { workspace_id: workspaceId, id: reviewId, attestation_id: attestationId } = review
  if (review.kind !== "reversal" || attestationId === null) return inVendorsPlace("approved")(sql, deciding)
  const subject = await acceptReversal(sql, { workspaceId, attestationId, reviewId, claims, author })
  const detail = { decision: "approved", review: reviewId, reversal_of: attestationId }
  await recordChange(sql, workspaceId, { author, action: "attestation.decided_manually", subject, detail })
}

/** Clears a false match and applies held approvals. Does nothing for a vendor's signal. Errors: chain_unavailable. */
const clear: Effect = async (sql, { review, author, now }) => {
  const { workspace_id: workspaceId, id: reviewId, kind, wallet, attestations } = review
  if (kind !== "screening" || wallet === null) return
  await clearHits(sql, { workspaceId, wallet, reviewId, author })
  for (const attestationId of attestations) await applyHeld(sql, { workspaceId, attestationId }, now)
}

/** Ends everything in force that the review is about. */
const revoke: Effect = async (sql, { review, author, reason, publicReason }) => {
  const { workspace_id: workspaceId, attestations } = review
  for (const attestationId of attestations)
    await revokeIn(sql, { workspaceId, attestationId, author, reason, publicReason })
}

/** What a decision does, in the transaction that closes the review. */
export const effects: Record<ReviewDecision, Effect> = {
  approve,
  request_resubmission: inVendorsPlace("resubmission_requested"),
  reject: inVendorsPlace("rejected"),
  keep_rejected: async () => {},
  clear,
  revoke,
}
