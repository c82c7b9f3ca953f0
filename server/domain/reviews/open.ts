import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { type Change, recordChange, vouch } from "#domain/audit-log"
import { seal, unseal } from "#domain/deployment"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { areSameClaims, type Claims } from "#shared/claims.ts"
import type { Finding, ReviewKind } from "#shared/reviews.ts"
import { entryOwner, openReviewClaims, sealReviewClaims } from "./owners.ts"
import { setPriority } from "./priorities.ts"

/** The subject of a review. */
type ReviewSubject = { attestationId: string; wallet: Address } | { wallet: Address } | { investorId: string }

export type Found = {
  workspaceId: string
  kind: ReviewKind
  about: ReviewSubject
  finding: Finding
  /** More details for the deciding member. Sealed. */
  detail: string | null
  /** Claims that came with the finding, for an approval to use. */
  claims?: Claims
}

/** The most findings of a review. More would be repeats or noise. */
const MOST_FINDINGS = 100

/**
 * Opens a review, in the caller's transaction. The caller calls `publishActivity` after the commit. If a review of the
 * same subject and kind is open, the finding joins it. A new finding, or other claims, voids a decision that waits for
 * confirmation, because the member who requested it did not know about it.
 */
export async function openReview(sql: Queryable, found: Found): Promise<{ reviewId: string; isNew: boolean }> {
  const { workspaceId, kind, finding, claims = {} } = found
  const about = { attestationId: null, wallet: null, investorId: null, ...found.about }
  const subject = about.attestationId ?? about.wallet ?? about.investorId
  const id = newId("rev")
  const now = clock.now()
  const rows = await sql<{ id: string; requested: boolean }[]>`
    insert into reviews (workspace_id, id, kind, subject, attestation_id, wallet, investor_id, opened_at, found_at)
    values (${workspaceId}, ${id}, ${kind}, ${subject}, ${about.attestationId}, ${about.wallet}, ${about.investorId},
      ${now}, ${now})
    on conflict (workspace_id, kind, subject) where state <> 'closed' do update set found_at = excluded.found_at
    returning id, state = 'requested' as requested`
  const review = only(rows)
  const isNew = review.id === id
  const detail = isNew ? { kind, about: subject } : {}
  const change: Change = { author: vouch, action: isNew ? "review.opened" : "review.found", subject: review.id, detail }
  const isRepeat = !isNew && (await isKnown(sql, review.id, found))
  const bringsClaims = await changesClaims(sql, review.id, workspaceId, claims)
  if (isRepeat && !bringsClaims) return { reviewId: review.id, isNew }
  if (!isRepeat) {
    await sql`
      insert into review_entries (workspace_id, review_id, at, finding, text)
      values (${workspaceId}, ${review.id}, ${now}, ${finding},
        ${found.detail === null ? null : seal(entryOwner(review.id), found.detail)})`
    await setPriority(sql, { workspaceId, id: review.id, kind, finding, said: found.detail })
  }
  const sealed = bringsClaims ? sealReviewClaims(review.id, claims) : null
  if (!isNew || bringsClaims) {
    await sql`
      update reviews set claims = coalesce(${sealed}, claims), version = version + ${isNew ? 0 : 1}, state = 'open',
        decision = null, reason = null, public_reason = null, approved_claims = null, requested_by = null, requested_at = null
      where workspace_id = ${workspaceId} and id = ${review.id}`
  }
  const voided = review.requested ? [{ ...change, action: "review.request_voided", detail: {} } as const] : []
  for (const one of [change, ...voided]) await recordChange(sql, workspaceId, one)
  return { reviewId: review.id, isNew }
}

/** Whether the claims differ from the review's. An approval uses the latest ones. */
async function changesClaims(sql: Queryable, reviewId: string, workspaceId: string, claims: Claims) {
  if (areSameClaims(claims, {})) return false
  const rows = await sql<{ claims: Buffer | null }[]>`
    select claims from reviews where workspace_id = ${workspaceId} and id = ${reviewId}`
  return !areSameClaims(openReviewClaims(reviewId, only(rows).claims), claims)
}

/** Whether the review already has the same finding. */
async function isKnown(sql: Queryable, reviewId: string, { workspaceId, finding, detail }: Found) {
  const entries = await sql<{ finding: Finding; text: Buffer | null }[]>`
    select finding, text from review_entries
    where workspace_id = ${workspaceId} and review_id = ${reviewId} and finding is not null
    order by seq desc limit ${MOST_FINDINGS}`
  if (entries.length === MOST_FINDINGS) return true
  return entries.some(
    (entry) =>
      entry.finding === finding && (entry.text === null ? null : unseal(entryOwner(reviewId), entry.text)) === detail,
  )
}
