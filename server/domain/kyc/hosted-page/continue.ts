import { z } from "zod"
import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { providerNamed, seal, unseal } from "#domain/deployment"
import { redactLate } from "#domain/privacy"
import type { Flow, VendorSession } from "#domain/providers"
import { ask, FIRST_ASK_SECONDS } from "#server/domain/kyc/ask-providers.ts"
import { toVerify } from "#server/domain/kyc/event-sessions.ts"
import { redirectUrl } from "#server/domain/kyc/redirect-url.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock, monotonic, sleep } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Language } from "#shared/languages.ts"
import { refuseTokenAddress } from "./refuse-token-address.ts"
import { findSession, requireProof, type SessionRow, viewOf } from "./view.ts"

/** How long one process may call the vendor for a session. Longer than its calls take. */
const CALL_SECONDS = 30
/** How long a second click waits for the first. */
const WAIT_MS = 15_000
const PAUSE_MS = 100
/** The most checks of one session at a vendor. An erasure must delete each of them. */
const MOST_CHECKS = 50
/** A stored address is reused only while this much of its time is left. */
const LEAST_SECONDS = 60

/**
 * Returns the address of the provider's page for an investor who has consented, or null if the session is no longer
 * open. Of several simultaneous requests, the first asks the vendor and all get the same address. A new page at the
 * vendor uses `language`. Errors: provider_unavailable, provider_not_configured, wallet_proof_required,
 * invalid_public_key, validation_failed.
 */
export async function continueToProvider(sessionId: string, language: Language | null = null): Promise<string | null> {
  const giveUpAt = monotonic.now() + WAIT_MS
  for (;;) {
    const now = clock.now()
    const row = await findSession(sessionId)
    const { state } = viewOf(row, now)
    if (row === null || (state !== "open" && state !== "handed_over")) return null
    requireProof(row)
    const { label, flow } = providerNamed(row.mode, row.provider)
    if (flow.kind !== "redirect")
      return fail("validation_failed", "sessionId: this session uses the form on this page.")
    const kept = keptLink(row, now) ?? (await reopenedLink(row, now))
    if (kept !== null) return kept
    if ((row.earlier_references?.length ?? 0) >= MOST_CHECKS)
      fail("provider_unavailable", `${label} was asked too often in this session. Ask for a new link.`)
    await refuseTokenAddress(row)
    const claimed = await claimCall(row, now, language)
    if (claimed !== null) {
      const url = await askVendor({ row, sessionId, label, flow, ...claimed })
      if (url !== null) return url
    } else if (monotonic.now() > giveUpAt) {
      fail("provider_unavailable", `${label} takes too long to answer. Try again shortly.`)
    } else await sleep(PAUSE_MS)
  }
}

const isUsable = (until: Date | null, now: Date): boolean => until !== null && until > addSeconds(now, LEAST_SECONDS)

function keptLink(row: SessionRow, now: Date): string | null {
  const { provider_link: link, provider_link_until: until } = row
  return link !== null && isUsable(until, now) ? unseal(linkOwner(row), link) : null
}

/** The stored address, if the vendor accepts another submission there. */
async function reopenedLink(row: SessionRow, now: Date): Promise<string | null> {
  const { provider_link: link, resume_link_until: until } = row
  if (link === null || !isUsable(until, now)) return null
  const reopened = await sql`
    update attestations set provider_link_until = resume_link_until, resume_link_until = null, asks = 0,
      ask_at = ${addSeconds(now, FIRST_ASK_SECONDS)}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending' and provider_link_until is null
      and resume_link_until is not null and provider_link = ${link} returning id`
  if (reopened.length === 0) return null
  publishActivity(row.workspace_id)
  return unseal(linkOwner(row), link)
}

/** The sealing context of the address. It differs from the claims', which is the attestation's id. */
export const linkOwner = ({ id }: { id: string }): string => `${id} provider_link`

/**
 * Claims the session's vendor calls for this process, until the returned time, so that no lock is held during the
 * calls. Null if another process has the claim, or if the session now belongs to another person.
 */
async function claimCall(
  row: SessionRow,
  now: Date,
  language: Language | null,
): Promise<{ until: Date; language: Language | null } | null> {
  const until = addSeconds(now, CALL_SECONDS)
  const [claimed] = await sql<{ language: Language | null }[]>`
    update attestations set provider_call_until = ${until},
      consented_at = case when wallet_proof_required then coalesce(consented_at, ${now}) else ${now} end,
      language = coalesce(language, ${language})
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending' and investor_id = ${row.investor_id}
      and (provider_call_until is null or provider_call_until <= ${now})
      and provider_link_until is not distinct from ${row.provider_link_until} returning language`
  return claimed ? { until, language: claimed.language } : null
}

/**
 * Opens or resumes the session at the vendor and stores the answer. Null if another process did so in the meantime, or
 * if nothing is left to do there because the vendor already decided about the person.
 */
async function askVendor(about: {
  row: SessionRow
  sessionId: string
  language: Language | null
  label: string
  flow: Extract<Flow, { kind: "redirect" }>
  until: Date
}): Promise<string | null> {
  const { row, sessionId, language, label, flow, until } = about
  try {
    const session = { ...toVerify({ ...row, session_id: sessionId }), language }
    const reference = row.provider_reference
    const opened = await (reference === null ? flow.createSession(session) : flow.resumeSession(session, reference))
    const vendor = requireSound(label, opened)
    if (await belongsToAnotherPerson(row, vendor.reference)) return unsound(label, "reference")
    const link = vendor.singleUse ? null : seal(linkOwner(row), vendor.url)
    const askAt = addSeconds(clock.now(), vendor.isDecided ? 0 : FIRST_ASK_SECONDS)
    const kept = await sql`
      update attestations set earlier_references = case
          when provider_reference is null or provider_reference = any(earlier_references || ${vendor.reference}::text)
          then earlier_references else array_append(earlier_references, provider_reference) end,
        provider_reference = ${vendor.reference}, provider_link = ${link},
        provider_link_until = ${vendor.usableUntil}, provider_call_until = null, asks = 0,
        ask_at = ${askAt}
      where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'
        and provider_call_until = ${until} returning id`
    publishActivity(row.workspace_id)
    if (kept.length === 0) {
      await leaveToErasure(row, vendor.reference)
      return null
    }
    const asked = { ...row, session_id: sessionId, attestation_id: row.id, provider_reference: vendor.reference }
    const isOver = vendor.isDecided && (await ask(asked)) === "applied"
    return isOver ? null : vendor.url
  } catch (error) {
    await sql`
      update attestations set provider_call_until = null
      where workspace_id = ${row.workspace_id} and id = ${row.id} and provider_call_until = ${until}`
    throw error
  }
}

/** Records a check that the vendor opened for a session that has since ended, so that an erasure deletes it. */
async function leaveToErasure({ workspace_id, id, provider }: SessionRow, reference: string): Promise<void> {
  await sql`
    update attestations set earlier_references = array_append(earlier_references, ${reference}::text)
    where workspace_id = ${workspace_id} and id = ${id} and erased_at is null
      and not ${reference}::text = any(earlier_references || coalesce(provider_reference, ''))`
  await redactLate({ workspaceId: workspace_id, attestationId: id, provider, reference })
}

const vendorSession = z.object({
  reference: z.string().min(1).max(500),
  url: redirectUrl,
  // The range that Postgres can store.
  usableUntil: z.date().min(new Date(0)).max(new Date("9999-12-31T00:00:00Z")),
})

function requireSound(label: string, session: VendorSession): VendorSession {
  const parsed = vendorSession.safeParse(session)
  return parsed.success ? session : unsound(label, parsed.error.issues[0]?.path.join("."))
}

/** Whether it is a reference of another person's session. A decision applies to all sessions of a reference. */
async function belongsToAnotherPerson(row: SessionRow, reference: string): Promise<boolean> {
  const [other] = await sql`
    select from attestations
    where provider = ${row.provider} and provider_reference = ${reference}
      and (workspace_id, investor_id) <> (${row.workspace_id}, ${row.investor_id}) limit 1`
  return other !== undefined
}

function unsound(label: string, field: string | undefined): never {
  logger.warn({ provider: label, field }, "a KYC provider's session is not valid")
  return fail("provider_unavailable", `${label} cannot be reached at the moment. Try again shortly.`)
}
