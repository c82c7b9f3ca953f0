import { type Queryable, reads } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { statusAt } from "#domain/attestations"
import { type ProviderDecision, TOLERANCE_SECONDS } from "#domain/providers"
import { isId } from "#server/lib/ids.ts"
import { clock, secondsBetween } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { approvalOn } from "./approve.ts"
import { effectOf } from "./decide.ts"
import { type DecidedSession, isApproved, isRejectedByVendor, lockDecided } from "./decided-session.ts"
import { recordEvent, transactionFor } from "./recorded-event.ts"
import { isReversible, isReversing, lockSuccessor, openReversal, withdrawReversal } from "./reversal.ts"
import { type Effect, takeEffect } from "./take-effect.ts"

/** `review_opened`: the vendor reversed a rejection, and a member must decide whether to accept that. */
export type EventResult = "applied" | "review_opened" | "duplicate" | "ignored"

/** A provider's decision about one session. */
type SessionEvent = ProviderDecision & {
  eventId: string
  sessionId: string
}

type VerifiedEvent = {
  event: SessionEvent
  /** The provider whose secret verified the event, or that answered when asked. */
  provider: string
  mode: Mode
}

/** Records an authentic event and its effect in one commit. Null if no session of this mode and provider has its id. */
export async function applyEvent({ event, provider, mode }: VerifiedEvent): Promise<EventResult | null> {
  if (!isId("sess", event.sessionId)) return null
  const now = clock.now()
  const [session] = await reads<{ workspace_id: string }[]>`
    select workspace_id from attestations where session_id = ${event.sessionId}`
  if (!session) return null
  const { outcome, workspaceId } = await transactionFor(session.workspace_id, (sql) =>
    record(sql, { event, provider, mode, now }),
  )
  if (workspaceId !== null) {
    publish("ledger")
    publishActivity(workspaceId)
  }
  return outcome
}

/** `workspaceId`: the workspace that changed, or null if none did. */
type Recorded =
  | { outcome: "applied" | "review_opened"; workspaceId: string }
  | { outcome: "duplicate" | "ignored" | null; workspaceId: null }

async function record(
  sql: Queryable,
  { event: reported, provider, mode, now }: VerifiedEvent & { now: Date },
): Promise<Recorded> {
  // A decision dated in the future would hide every later one until that time, such as its own withdrawal.
  const isFromFuture = secondsBetween(now, reported.occurredAt) > TOLERANCE_SECONDS
  const event = isFromFuture ? { ...reported, occurredAt: now } : reported
  const named = await lockDecided(sql, sql`a.session_id = ${event.sessionId}`)
  const row = named && ((await lockSuccessor(sql, named)) ?? named)
  if (!row || row.provider !== provider || row.mode !== mode) return { outcome: null, workspaceId: null }
  // Record nothing about an erased person. Even the event's id is data from the vendor.
  if (row.erased_at !== null) return { outcome: "ignored", workspaceId: null }
  const { workspace_id: workspaceId, id: attestationId } = row
  const effect = await effectOn(sql, row, event, now)
  const outcome = await outcomeOf(sql, row, effect)
  const isNew = await recordEvent(sql, { mode, provider, eventId: event.eventId, workspaceId, attestationId, outcome })
  if (!isNew) return { outcome: "duplicate", workspaceId: null }
  if (effect === "ignore") return { outcome: "ignored", workspaceId: null }
  if (effect === "review") await openReversal(sql, row, event)
  else if (effect === "reject_again") await withdrawReversal(sql, row, event)
  else await takeEffect(sql, row, { event, effect, reviewId: null, now })
  return outcome === "ignored" ? { outcome, workspaceId: null } : { outcome, workspaceId }
}

async function outcomeOf(
  sql: Queryable,
  row: DecidedSession,
  effect: Effect,
): Promise<Exclude<EventResult, "duplicate">> {
  if (effect === "review") return "review_opened"
  const isIgnored = effect === "ignore" || (effect === "reject_again" && !(await isReversing(sql, row)))
  return isIgnored ? "ignored" : "applied"
}

async function effectOn(sql: Queryable, row: DecidedSession, event: SessionEvent, now: Date): Promise<Effect> {
  // A session ends on time, even if the sweep has not recorded it yet.
  if (statusAt(row, now) === "expired") return "ignore"
  const last = row.event_at === null ? null : { at: row.event_at, rank: row.event_rank ?? 0 }
  const { status } = row
  const state = { status, approved: isApproved(row), rejectedByVendor: isRejectedByVendor(row), last }
  const effect = effectOf(state, event)
  if (effect === "review") return (await isReversible(sql, row, event.occurredAt, now)) ? effect : "ignore"
  return effect === "approve" ? approvalOn(row, event.occurredAt, now) : effect
}
