import { background as sql } from "#db/client.ts"
import { closeAsked } from "#domain/attestations"
import { deployment } from "#domain/deployment"
import { SUBMITTED } from "#domain/providers"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { Failure } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { applyEvent } from "./apply-event.ts"
import { type ProviderSession, toVerify } from "./event-sessions.ts"
import { noteSubmission } from "./note-submission.ts"
import { timed } from "./provider-events.ts"

/** An investor spends some minutes on the vendor's page, and the webhook arrives seconds after the decision. */
export const FIRST_ASK_SECONDS = 600
/** When the investor is back on the hosted page, the webhook gets this long to arrive. */
const RETURNED_SECONDS = 10
/** Pauses between unsuccessful asks. The last one repeats until the session closes. */
const PAUSES_SECONDS = [30, 60, 120, 300, 600, 1800, 3600, 6 * 3600]
const BATCH = 8

/** Pauses asking a provider that does not answer. */
const troubled = new Backoff({ firstMs: 5000, longestMs: 300_000 })

type Asked = ProviderSession & {
  workspace_id: string
  mode: Mode
  provider: string
}
type Due = Asked & { asks: number; closing: boolean }

/**
 * Asks vendors about sessions that have no decision yet, in case a webhook was lost. An answer is processed like a
 * webhook, so both together take effect once. An unreachable vendor delays only its own sessions.
 */
export async function askProviders(): Promise<void> {
  for (;;) {
    const due = await claim()
    const answered = await Promise.all(due.map(askDue))
    const names = due.map(({ mode, provider }) => `${mode} ${provider}`)
    for (const name of new Set(names)) {
      // Don't pause the vendor because it doesn't know one of the sessions.
      if (names.some((one, n) => one === name && answered[n])) troubled.succeeded(name)
      else troubled.failed(name)
    }
    if (due.length < BATCH) return
  }
}

/**
 * Claims the sessions to ask about now. It schedules the next ask first, so a crash only delays it. A session past its
 * time is skipped, unless the sweep has reopened it for one last ask.
 */
async function claim(): Promise<Due[]> {
  const now = clock.now()
  const held = troubled.held
  return sql<Due[]>`
    update attestations a set asks = a.asks + 1,
      ask_at = ${now}::timestamptz + make_interval(secs => (${PAUSES_SECONDS}::int[])[least(a.asks + 1, ${PAUSES_SECONDS.length})])
    from workspaces w, schemas s
    where w.id = a.workspace_id and s.workspace_id = a.workspace_id and s.id = a.schema_id and (a.workspace_id, a.id) in (
      select p.workspace_id, p.id from attestations p join workspaces v on v.id = p.workspace_id
      where p.status = 'pending' and p.ask_at <= ${now} and p.provider_reference is not null
        and (p.open_until is null or p.open_until > ${now})
        and not (v.mode || ' ' || p.provider = any(${held}))
      order by p.ask_at limit ${BATCH} for update of p skip locked)
    returning a.workspace_id, a.id as attestation_id, a.session_id, a.investor_id, a.schema_id, s.validity_days, a.wallet,
      a.provider, a.provider_reference, a.asks, a.event_decision, a.closing, w.mode`
}

/** Whether the vendor answered. A session past its time ends with the answer, unless the answer keeps it open. */
async function askDue(session: Due): Promise<boolean> {
  const isAnswered = (await ask(session)) !== "unanswered"
  if (session.closing && isAnswered) await closeAsked(sql, session.workspace_id, session.attestation_id, clock.now())
  return isAnswered
}

export async function ask(session: Asked): Promise<"applied" | "nothing new" | "unanswered"> {
  const { mode, provider: name, provider_reference: reference, session_id, attestation_id } = session
  const provider = deployment.providers[mode].configured.get(name)
  if (provider?.flow.kind !== "redirect" || reference === null) return "nothing new"
  try {
    const before = clock.now()
    const answer = await provider.flow.readDecision(toVerify(session), reference)
    if (answer === SUBMITTED) return (await noteSubmission(session, null)) === "applied" ? "applied" : "nothing new"
    const decision = timed(answer, before)
    // If the vendor gives no time, a repeated decision is not new.
    const isKnown = decision?.occurredAt === before && decision.decision === session.event_decision
    if (decision === null || isKnown) return "nothing new"
    const eventId = `asked ${attestation_id} ${decision.decision} ${decision.occurredAt.getTime()}`
    const event = { ...decision, eventId, sessionId: session_id }
    const outcome = await applyEvent({ event, provider: name, mode })
    if (outcome !== "applied") return "nothing new"
    const about = { provider: name, attestation: attestation_id, decision: decision.decision }
    logger.info(about, "a provider was asked for a decision that no webhook had brought")
    return outcome
  } catch (error) {
    // `vendor-api.ts` already logs unexpected answers of a vendor.
    if (!(error instanceof Failure && error.code === "provider_unavailable"))
      logger.warn({ err: error, provider: name }, "a provider could not be asked; retrying later")
    return "unanswered"
  }
}

/** Asks the vendor soon, because the investor has returned from its page. */
export async function askSoon(session: { workspace_id: string; id: string }): Promise<void> {
  const soon = addSeconds(clock.now(), RETURNED_SECONDS)
  await sql`
    update attestations set ask_at = ${soon}
    where workspace_id = ${session.workspace_id} and id = ${session.id} and status = 'pending' and asks = 0
      and ask_at > ${soon}`
}
