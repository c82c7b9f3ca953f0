import { onBehalfOf, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import type { ProviderEvent } from "#domain/providers"
import { openReview } from "#domain/reviews"
import { readPolicies } from "#domain/screening"
import type { Mode } from "#shared/mode.ts"
import { applyEvent, type EventResult } from "./apply-event.ts"
import { recordEvent, transactionFor } from "./recorded-event.ts"

type SignalEvent = ProviderEvent & { says: { kind: "signal" } }
type Person = { workspace_id: string; investor_id: string }

type Signalled = {
  event: SignalEvent
  provider: string
  mode: Mode
  /** The sessions that it names, of one person or several. */
  sessions: readonly Person[]
}

/** The most verifications of one person that a signal applies to. No one has that many. */
const MOST = 100

/**
 * Applies a workspace's policy when a vendor reports something about a person whom it verified: revokes everything it
 * verified for them, on any wallet, or opens one review. Does nothing if all its decisions are newer or have ended.
 */
export async function applySignal({ sessions, ...signal }: Signalled): Promise<EventResult> {
  const people = new Map(sessions.map((one) => [`${one.workspace_id} ${one.investor_id}`, one]))
  const outcomes: EventResult[] = []
  for (const person of people.values()) {
    const policies = await onBehalfOf(person.workspace_id, () => readPolicies(sql, person.workspace_id))
    outcomes.push(...(await actions[policies[signal.event.says.signal]](person, signal)))
  }
  const ranked: EventResult[] = ["applied", "review_opened", "duplicate", "ignored"]
  return ranked.find((one) => outcomes.includes(one)) ?? "ignored"
}

type Signal = Omit<Signalled, "sessions">

/** The verifications that a signal applies to: those older than the signal. */
const inForce = ({ workspace_id, investor_id }: Person, { event, provider }: Signal) => sql`
  workspace_id = ${workspace_id} and investor_id = ${investor_id} and provider = ${provider}
    and status in ('pending', 'verified') and coalesce(event_at, created_at) <= ${event.says.occurredAt}`

/** Applies the signal as the vendor's rejection of each verification, so that its time decides which decision holds. */
async function withdraw(person: Person, signal: Signal): Promise<EventResult[]> {
  const { event, provider, mode } = signal
  const { signal: name, occurredAt, reason } = event.says
  // Include those that this signal ended before, so that a repeat is recognised as one.
  const concerned = await onBehalfOf(
    person.workspace_id,
    () => sql<{ id: string; session_id: string }[]>`
      select id, session_id from attestations a
      where (${inForce(person, signal)}) or (
        workspace_id = ${person.workspace_id} and investor_id = ${person.investor_id} and exists (
          select from webhook_events e where e.mode = ${mode} and e.provider = ${provider}
            and e.event_id = ${event.eventId} || ' ' || a.id))
      order by status in ('pending', 'verified') desc, seq desc limit ${MOST}`,
  )
  const outcomes: EventResult[] = []
  for (const { id, session_id } of concerned) {
    const rejection = {
      decision: "rejected",
      occurredAt,
      claims: {},
      reason: reason ?? name,
      publicReason: null,
    } as const
    const named = { eventId: `${event.eventId} ${id}`, sessionId: session_id }
    const outcome = await applyEvent({ event: { ...rejection, ...named }, provider, mode })
    if (outcome !== null) outcomes.push(outcome)
  }
  return outcomes
}

/** Opens one review of the person for all their wallets. Later reports join it. */
async function askPerson(person: Person, signal: Signal): Promise<EventResult[]> {
  const { workspace_id: workspaceId, investor_id: investorId } = person
  const { event, provider, mode } = signal
  const { signal: finding, reason } = event.says
  const outcome = await transactionFor(workspaceId, async (sql): Promise<EventResult> => {
    // Wait for an approval that is being recorded.
    const [first] = await sql<{ id: string }[]>`
      select id from attestations where ${inForce(person, signal)} order by seq limit ${MOST} for update`
    if (!first) return "ignored"
    const about = { mode, provider, workspaceId, attestationId: first.id, outcome: "applied" }
    if (!(await recordEvent(sql, { ...about, eventId: `${event.eventId} ${investorId}` }))) return "duplicate"
    await openReview(sql, { workspaceId, kind: "signal", about: { investorId }, finding, detail: reason })
    return "applied"
  })
  if (outcome === "applied") publishActivity(workspaceId)
  return [outcome]
}

const actions = { review: askPerson, withdraw, nothing: async (): Promise<EventResult[]> => [] }
