import { reads } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import type { Provider, ProviderEvent, SessionToVerify } from "#domain/providers"
import type { Mode } from "#shared/mode.ts"
import type { Decision } from "#shared/statuses.ts"

/** A session with its provider's reference. */
export type ProviderSession = {
  session_id: string
  attestation_id: string
  investor_id: string
  schema_id: string
  validity_days: number
  wallet: string
  provider_reference: string | null
  event_decision: Decision | null
}

export const toVerify = (session: Omit<ProviderSession, "attestation_id">): SessionToVerify => ({
  sessionId: session.session_id,
  investorId: session.investor_id,
  schemaId: session.schema_id,
  validityDays: session.validity_days,
  wallet: session.wallet,
  returnUrl: `${deployment.origin}/verify/${session.session_id}`,
  language: null,
  lastDecision: session.event_decision,
})

/** The most sessions of one person that an event applies to. No one verifies that many wallets. */
const MOST_SESSIONS = 100

export type Reading = { event: ProviderEvent; provider: Provider; mode: Mode }

export async function referencesOf({ event: { about }, provider: { flow } }: Reading): Promise<readonly string[]> {
  if ("references" in about) return about.references
  if ("reference" in about) return [about.reference]
  return ("subject" in about && flow.kind === "redirect" && (await flow.findReferences?.(about.subject))) || []
}

export type Found = ProviderSession & {
  workspace_id: string
  is_approved: boolean
  /** Whether the reference is of a check that the investor left for another one. */
  is_earlier?: boolean
}

/** Sessions of this provider and mode that an event is about. Errors: provider_unavailable. */
export async function sessionsOf(reading: Reading): Promise<Found[]> {
  const { about } = reading.event
  const { mode } = reading
  const { name } = reading.provider
  if ("investorId" in about) return sessionsOfInvestor(about.investorId, reading)
  // A pipelined read takes plain values: neither fragments nor lists.
  const session = "sessionId" in about ? about.sessionId : null
  const references = await referencesOf(reading)
  return reads<Found[]>`
    select a.workspace_id, a.session_id, a.id as attestation_id, a.investor_id, a.schema_id, s.validity_days, a.wallet,
      a.provider_reference, a.event_decision,
      a.status in ('pending', 'verified') and coalesce(a.issued_at, a.held_at) is not null as is_approved
    from attestations a join workspaces w on w.id = a.workspace_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where a.provider = ${name} and w.mode = ${mode}
      and (a.session_id = ${session} or a.provider_reference = any (string_to_array(${references.join("\n")}, chr(10))))
    order by a.status in ('pending', 'verified') desc, a.seq desc limit ${MOST_SESSIONS}`
}

/** Sessions of the investor with this id, or of the one it was merged into. */
const sessionsOfInvestor = (investorId: string, { provider: { name }, mode }: Reading) =>
  reads<Found[]>`
    select a.workspace_id, a.session_id, a.id as attestation_id, a.investor_id, a.schema_id, s.validity_days, a.wallet,
      a.provider_reference, a.event_decision,
      a.status in ('pending', 'verified') and coalesce(a.issued_at, a.held_at) is not null as is_approved
    from workspaces w join investors i on i.workspace_id = w.id and i.id = ${investorId}
    join attestations a on a.workspace_id = w.id and a.investor_id = coalesce(i.merged_into, i.id)
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where w.mode = ${mode} and a.provider = ${name}
    order by a.seq desc limit ${MOST_SESSIONS}`
