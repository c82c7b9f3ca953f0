import { onBehalfOf, reads, sql } from "#db/client.ts"
import {
  type Provider,
  type ProviderDecision,
  type ProviderEvent,
  type ReadDecision,
  SUBMITTED,
  TOLERANCE_SECONDS,
} from "#domain/providers"
import { clock } from "#server/lib/time.ts"
import { applyEvent, type EventResult } from "./apply-event.ts"
import { type Found, type ProviderSession, type Reading, referencesOf, sessionsOf, toVerify } from "./event-sessions.ts"
import { noteSubmission } from "./note-submission.ts"
import { applySignal } from "./signals.ts"

/**
 * Applies an authentic event to its session, or to each session of its person. If the event does not contain the
 * decision, asks the provider, once for each reference. Null if the event is about no session of this provider and
 * mode. Errors: provider_unavailable.
 */
export async function applyProviderEvent(reading: Reading): Promise<EventResult | null> {
  const { event, mode } = reading
  const { about, says } = event
  const provider = reading.provider.name
  if ("sessionId" in about && says.kind === "decision") {
    const named = { eventId: event.eventId, sessionId: about.sessionId }
    return applyEvent({ event: { ...decisionOf(says), ...named }, provider, mode })
  }
  const found = await sessionsOf(reading)
  const sessions = found.length > 0 ? found : await sessionsWithEarlierCheck(reading)
  if (sessions.length === 0) return null
  if (says.kind === "signal") return applySignal({ event: { ...event, says }, provider, mode, sessions })
  const outcomes: (EventResult | null)[] = []
  for (const same of Map.groupBy(sessions, (session) => session.provider_reference).values())
    outcomes.push(await applyToSame(same, says, reading))
  return bestOf(outcomes)
}

/** Applies an event to the sessions of one reference. The provider's decision is the same for all of them. */
async function applyToSame(
  sessions: Found[],
  says: Exclude<ProviderEvent["says"], { kind: "signal" }>,
  reading: Reading,
): Promise<EventResult | null> {
  const { event, provider, mode } = reading
  const fresh = await withoutRepeats(sessions, reading)
  if (fresh.length === 0) return "duplicate"
  const decision = await decide(says, provider, fresh[0]!)
  if (decision === null) return "ignored"
  if (decision === SUBMITTED) {
    const sourceOf = (one: Found) => ({ eventId: eventIdFor(event, one), mode, provider: provider.name })
    const noted = await Promise.all(fresh.map((one) => noteSubmission(one, sourceOf(one))))
    return noted.find((one) => one === "applied") ?? noted[0]!
  }
  const [first] = fresh
  // Of a check that the investor left for another one, only an approval counts.
  if (first?.is_earlier && !(decision.decision === "approved" && (await resumeCheck(first)))) return "ignored"
  const outcomes: (EventResult | null)[] = []
  const isReviewed = decision.decision === "in_review"
  // Before recording the decision, so that after a crash the event does not count as a repeat.
  if (isReviewed) outcomes.push(await signalApproved(sessions, reading))
  for (const session of fresh) {
    const named = { eventId: eventIdFor(event, session), sessionId: session.session_id }
    outcomes.push(await applyEvent({ event: { ...decision, ...named }, provider: provider.name, mode }))
  }
  // Include people approved in the meantime.
  if (isReviewed && outcomes.includes("ignored")) {
    const now = await sessionsOf(reading)
    const same = now.filter((one) => one.provider_reference === first?.provider_reference)
    outcomes.push(await signalApproved(same, reading))
  }
  return bestOf(outcomes)
}

export const bestOf = (outcomes: readonly (EventResult | null)[]): EventResult | null =>
  (["applied", "review_opened"] as const).find((one) => outcomes.includes(one)) ??
  outcomes.find((one) => one !== null) ??
  null

/** Signals that the vendor is reviewing people whom it approved before. Null if it approved none of them. */
async function signalApproved(
  sessions: readonly Found[],
  { event, provider, mode }: Reading,
): Promise<EventResult | null> {
  const { says, about } = event
  const approved = sessions.filter((session) => session.is_approved)
  if (says.kind !== "decision" && says.kind !== "changed") return null
  if (says.afterApproval === undefined || approved.length === 0) return null
  const { afterApproval: signal, occurredAt = clock.now() } = says
  const reason = ("reason" in says && says.reason) || `${provider.label}: in review`
  // A separate id: the decision itself is recorded under the event's id.
  const eventId = `${event.eventId} signal`
  const signalled = { eventId, about, says: { kind: "signal", signal, occurredAt, reason } } as const
  return applySignal({ event: signalled, provider: provider.name, mode, sessions: approved })
}

/** An id per session: an event is recorded once for each session. */
const eventIdFor = ({ eventId, about }: ProviderEvent, { attestation_id }: ProviderSession): string =>
  "sessionId" in about ? eventId : `${eventId} ${attestation_id}`

async function withoutRepeats(sessions: Found[], { event, provider, mode }: Reading): Promise<Found[]> {
  const ids = sessions.map((session) => eventIdFor(event, session))
  const seen = await onBehalfOf(
    sessions[0]!.workspace_id,
    () => sql<{ event_id: string }[]>`
      select event_id from webhook_events
      where mode = ${mode} and provider = ${provider.name} and event_id = any(${ids})`,
  )
  const repeats = new Set(seen.map((row) => row.event_id))
  return sessions.filter((_session, n) => !repeats.has(ids[n]!))
}

async function decide(
  says: Exclude<ProviderEvent["says"], { kind: "signal" }>,
  { flow }: Provider,
  session: ProviderSession,
): Promise<ProviderDecision | typeof SUBMITTED | null> {
  if (says.kind === SUBMITTED) return SUBMITTED
  if (says.kind === "decision") return decisionOf(says)
  if (flow.kind !== "redirect" || session.provider_reference === null) return null
  const { occurredAt: at = clock.now(), isFinal = false } = says
  const answer = await flow.readDecision(toVerify(session), session.provider_reference, { isFinal })
  return answer === SUBMITTED ? answer : timed(answer, at)
}

/**
 * A vendor's answer with a time: the vendor's, or else when we asked or received it. A time that is invalid or in the
 * future would hide the vendor's later decisions, so it counts as missing.
 */
export function timed(answer: ReadDecision | null, at: Date): ProviderDecision | null {
  if (answer === null) return null
  const own = answer.occurredAt?.getTime() ?? Number.NaN
  const isSound = own >= 0 && own <= clock.now().getTime() + TOLERANCE_SECONDS * 1000
  return { ...answer, occurredAt: isSound ? new Date(own) : at }
}

const decisionOf = ({ decision, occurredAt, claims, reason, publicReason }: ProviderDecision) => ({
  decision,
  occurredAt,
  claims,
  reason,
  publicReason,
})

/** No event names more checks than this. */
const MOST = 10

/** Sessions whose investor left the event's check for another one. The vendor may still approve the earlier check. */
async function sessionsWithEarlierCheck(reading: Reading): Promise<Found[]> {
  const references = (await referencesOf(reading)).join("\n")
  if (references === "") return []
  return reads<Found[]>`
    select a.workspace_id, a.session_id, a.id as attestation_id, a.investor_id, a.schema_id, s.validity_days, a.wallet,
      (select one from unnest(a.earlier_references) one
        where one = any (string_to_array(${references}, chr(10))) limit 1) as provider_reference,
      a.event_decision, a.status in ('pending', 'verified') and coalesce(a.issued_at, a.held_at) is not null as is_approved,
      true as is_earlier
    from attestations a join workspaces w on w.id = a.workspace_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where a.provider = ${reading.provider.name} and w.mode = ${reading.mode} and a.status in ('pending', 'verified')
      and a.earlier_references && string_to_array(${references}, chr(10))
    order by a.seq desc limit ${MOST}`
}

/** Makes an earlier check the session's current one, so that later events about it count. False if it is too late. */
async function resumeCheck({ workspace_id, attestation_id, provider_reference }: Found): Promise<boolean> {
  const taken = await sql`
    update attestations set provider_reference = ${provider_reference},
      earlier_references = array_append(array_remove(earlier_references, ${provider_reference}::text), provider_reference)
    where workspace_id = ${workspace_id} and id = ${attestation_id} and status = 'pending'
      and ${provider_reference}::text = any(earlier_references) returning id`
  return taken.length > 0
}
