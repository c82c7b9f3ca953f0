import { z } from "zod"
import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { deployment, providerNamed } from "#server/domain/deployment.ts"
import type { Provider, VendorSession } from "#server/domain/kyc/providers/provider.ts"
import { redirectUrl } from "#server/domain/kyc/redirect-url.ts"
import { seal, unseal } from "#server/domain/sealed.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock, monotonic, sleep } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { findSession, type SessionRow, viewOf } from "./view.ts"

/** How long a process has the vendor to itself for a session; longer than its calls take. */
const CALL_SECONDS = 30
/** How long a second click waits for the first. */
const WAIT_MS = 15_000
const PAUSE_MS = 100
/** An address is given out only while there is this much of its time left. */
const LEAST_SECONDS = 60

/**
 * Sends an investor who has consented on to the provider's page: its address, or null where the session is not open any
 * more. The vendor is asked once for each session, by whoever comes first; the others get the same address. While it
 * cannot be reached nothing is lost: the next click asks again, for the same session. Errors: provider_unavailable,
 * provider_not_configured, validation_failed.
 */
export async function continueToProvider(sessionId: string): Promise<string | null> {
  const giveUpAt = monotonic.now() + WAIT_MS
  for (;;) {
    const now = clock.now()
    const row = await findSession(sessionId)
    const { state } = viewOf(row, now, null)
    if (row === null || (state !== "open" && state !== "handed_over")) return null
    const provider = providerNamed(row.mode, row.provider)
    const kept = keptLink(row, now)
    if (kept !== null) return kept
    const until = await claimCall(row, now)
    if (until !== null) {
      const url = await askVendor({ row, sessionId, provider, until })
      if (url !== null) return url
    } else if (monotonic.now() > giveUpAt) {
      fail("provider_unavailable", `${provider.label} takes too long to answer. Try again shortly.`)
    } else await sleep(PAUSE_MS)
  }
}

function keptLink(row: SessionRow, now: Date): string | null {
  const { provider_link: link, provider_link_until: until } = row
  if (link === null || until === null || until <= addSeconds(now, LEAST_SECONDS)) return null
  return unseal(linkOf(row), link)
}

/** What a sealed address belongs to: an attestation's claims are sealed for its plain id. */
const linkOf = ({ id }: { id: string }) => `${id} provider_link`

/**
 * Takes the session's vendor for this process, until the time that it returns; null while another one has it. No lock is
 * held for as long as the vendor takes.
 */
async function claimCall(row: SessionRow, now: Date): Promise<Date | null> {
  const until = addSeconds(now, CALL_SECONDS)
  const claimed = await sql`
    update attestations set provider_call_until = ${until}, consented_at = ${now}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'
      and (provider_call_until is null or provider_call_until <= ${now})
      and provider_link_until is not distinct from ${row.provider_link_until} returning id`
  return claimed.length > 0 ? until : null
}

/** Opens the session at the vendor, or resumes it, and keeps what it said. Null where somebody else did so meanwhile. */
async function askVendor({
  row,
  sessionId,
  provider: { label, opening },
  until,
}: {
  row: SessionRow
  sessionId: string
  provider: Provider
  until: Date
}): Promise<string | null> {
  try {
    if (opening.kind !== "redirect")
      return fail("validation_failed", "sessionId: this session is verified in the form of this page.")
    const session = {
      sessionId,
      schemaId: row.schema_id,
      wallet: row.wallet,
      returnUrl: `${deployment.origin}/verify/${sessionId}`,
    }
    const vendor = requireSound(
      label,
      row.provider_reference === null
        ? await opening.createSession(session)
        : await opening.resumeSession(session, row.provider_reference),
    )
    const link = vendor.singleUse ? null : seal(linkOf(row), vendor.url)
    const kept = await sql`
      update attestations set provider_reference = ${vendor.reference}, provider_link = ${link},
        provider_link_until = ${vendor.usableUntil}, provider_call_until = null
      where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'
        and provider_call_until = ${until} returning id`
    publishActivity(row.workspace_id)
    return kept.length > 0 ? vendor.url : null
  } catch (error) {
    await sql`
      update attestations set provider_call_until = null
      where workspace_id = ${row.workspace_id} and id = ${row.id} and provider_call_until = ${until}`
    throw error
  }
}

const vendorSession = z.object({
  reference: z.string().min(1).max(500),
  url: redirectUrl,
  usableUntil: z.date(),
})

/** Nobody is sent to an address that is none, or that is not safe. */
function requireSound(label: string, session: VendorSession): VendorSession {
  const parsed = vendorSession.safeParse(session)
  if (parsed.success) return session
  logger.warn(
    { provider: label, field: parsed.error.issues[0]?.path.join(".") },
    "a KYC provider's session is not sound",
  )
  return fail("provider_unavailable", `${label} cannot be reached at the moment. Try again shortly.`)
}
