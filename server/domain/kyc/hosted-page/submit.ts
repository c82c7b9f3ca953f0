import { sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { sealClaims } from "#domain/attestations"
import { providerNamed } from "#domain/deployment"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Claims } from "#shared/claims.ts"
import { fail } from "#shared/errors.ts"
import type { Decision } from "#shared/statuses.ts"
import { refuseTokenAddress } from "./refuse-token-address.ts"
import { findSession, requireProof, viewOf } from "./view.ts"

/**
 * Accepts a submission of the hosted page's form. Stores it first, then reports it by the signed webhook until that is
 * acknowledged. Submitting a session that is no longer open changes nothing.
 * Errors: validation_failed, wallet_proof_required, invalid_public_key, provider_not_configured.
 */
export async function submitForm(submission: { sessionId: string; decision: Decision; claims: Claims }): Promise<void> {
  const { sessionId, decision, claims } = submission
  const session = await findSession(sessionId)
  if (session && providerNamed(session.mode, session.provider).flow.kind !== "form") {
    fail("validation_failed", "sessionId: this session uses another provider. Complete it there.")
  }
  if (session && viewOf(session, clock.now()).state === "open") {
    requireProof(session)
    await refuseTokenAddress(session)
  }
  await sql.begin(async (sql) => {
    if (!session) return
    // Only the first of two simultaneous submissions counts.
    await sql`select id from attestations where session_id = ${sessionId} for update`
    if (viewOf(await findSession(sessionId, sql), clock.now()).state !== "open") return
    const now = clock.now()
    await sql`
      insert into sandbox_submissions
        (workspace_id, attestation_id, event_id, decision, claims, occurred_at, next_attempt_at)
      values (${session.workspace_id}, ${session.id}, ${newId("evt")}, ${decision}, ${sealClaims(session.id, claims)}, ${now}, ${now})`
    await sql`
      update attestations set consented_at = ${now}
      where workspace_id = ${session.workspace_id} and id = ${session.id}`
  })
  publish("submissions")
  if (session) publishActivity(session.workspace_id)
}
