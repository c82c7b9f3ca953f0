import type { Queryable } from "#db/client.ts"
import { endPending, revokeCredential } from "#domain/attestations"
import { deployment } from "#domain/deployment"
import type { ProviderDecision } from "#domain/providers"
import { closeVendorReviews, openReview } from "#domain/reviews"
import { logger } from "#server/lib/log.ts"
import { addSeconds } from "#server/lib/time.ts"
import { approve, hold, keepOpen } from "./approve.ts"
import { type EventEffect, rankOf } from "./decide.ts"
import type { DecidedSession } from "./decided-session.ts"

/** How soon to ask a vendor that is reviewing a session or waiting for another submission. */
const ASK_AGAIN_SECONDS = 1800

/** `hold`: the approval waits for the proof of the wallet, or for a member to clear a wallet on a list. */
export type Effect = EventEffect | "hold"

type Taking = {
  event: ProviderDecision
  effect: Exclude<Effect, "ignore" | "review" | "reject_again">
  /** The review in which a member decided; null for a provider's decision. */
  reviewId: string | null
  now: Date
}

export async function takeEffect(sql: Queryable, row: DecidedSession, taking: Taking): Promise<void> {
  const { event, effect, now } = taking
  const { workspace_id: workspaceId, id: attestationId } = row
  await noteEvent(sql, row, taking)
  // Keep the code out of the logs: it is personal data. Members see it with the claims.
  if (event.decision === "approved" && event.claims.unknown_country !== undefined)
    logger.warn(
      { workspaceId, attestation: attestationId, provider: row.provider },
      "a vendor approved a person with an unknown country code; country rules refuse the wallet",
    )
  if (row.event_decision === "in_review" && event.decision !== "in_review")
    await closeVendorReviews(sql, workspaceId, [attestationId], "vendor")
  const ended = { workspaceId, attestationId, now, reason: event.reason }
  switch (effect) {
    case "approve":
      return approve(sql, row, event, now)
    case "hold":
      return hold(sql, row, event, now)
    case "reject":
      await endPending(sql, { ...ended, status: "rejected" })
      return
    case "expire":
      await endPending(sql, { ...ended, status: "expired" })
      return
    case "keep":
      await keepOpen(sql, row, now)
      // So that a member can decide in the vendor's place.
      if (event.decision === "in_review") {
        const found = { finding: "in_review", detail: event.reason, claims: event.claims } as const
        await openReview(sql, { workspaceId, kind: "vendor", about: { attestationId, wallet: row.wallet }, ...found })
      }
      return
    case "revoke":
      await sql`
        update attestations set status = 'rejected', reason = ${event.reason}, revoked_at = ${now}, ended_at = ${now}
        where workspace_id = ${workspaceId} and id = ${attestationId} and status = 'verified'`
      return revokeCredential(sql, row)
  }
}

/**
 * Records the event. Removes the address of the vendor's page, unless the vendor accepts another submission there.
 * Schedules an ask if the vendor may decide again, in case its webhook is lost. A member's decision does not change the
 * time of the vendor's last event, so that a decision of the vendor which is still on its way counts.
 */
function noteEvent(sql: Queryable, row: DecidedSession, { event, reviewId, now }: Taking) {
  const isToSubmit = event.decision === "resubmission_requested"
  const flow = deployment.providers[row.mode].configured.get(row.provider)?.flow
  const keepsLink = isToSubmit && flow?.kind === "redirect" && flow.takesResubmission === true
  const isOpen = isToSubmit || event.decision === "in_review"
  return sql`
  update attestations set event_at = ${reviewId === null ? event.occurredAt : row.event_at},
    event_rank = ${reviewId === null ? rankOf(event.decision) : row.event_rank},
    review_id = case when issued_at is null then ${reviewId} else review_id end,
    reviewed_at = case when issued_at is null then ${reviewId === null ? null : now}::timestamptz else reviewed_at end,
    event_decision = ${event.decision}, public_reason = ${event.publicReason},
    provider_link = case when ${keepsLink} then provider_link end,
    resume_link_until = case when ${keepsLink} then coalesce(provider_link_until, resume_link_until) end,
    provider_link_until = null, asks = 0,
    ask_at = case when provider_reference is not null and ${isOpen}
      then ${addSeconds(now, ASK_AGAIN_SECONDS)}::timestamptz end
  where workspace_id = ${row.workspace_id} and id = ${row.id}`
}
