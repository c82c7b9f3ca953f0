import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import type { Principal } from "#domain/requests"
import { findAttestation, type SessionRow, type SessionView, viewOf } from "#server/domain/kyc/hosted-page/view.ts"
import { startSession } from "#server/domain/kyc/start.ts"
import { addDays, clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { attestationOf } from "./link.ts"

/** How long after a verification expires its link can still renew it. */
const LATE_DAYS = 30

/** What a link's page shows: the verification to renew, or its current state. */
export async function readRenewal(token: string): Promise<SessionView> {
  const row = await rowOf(token)
  const now = clock.now()
  const view = viewOf(row, now)
  if (row === null || !isRenewable(row, view, now) || !(await isStillOwner(row))) return view
  const { company, brand, mode, schema, provider, wallet, walletProof } = view as Extract<
    SessionView,
    { state: "verified" }
  >
  return {
    ...{ state: "renewal", company, brand, mode, schema, provider, wallet, walletProof, returnUrl: null },
    expiresAt: toTimestamp(row.expires_at!),
    isOver: view.state === "expired",
    isReminded: row.reminder_email !== null,
  }
}

function isRenewable({ expires_at }: SessionRow, view: SessionView, now: Date): boolean {
  if (view.state === "verified") return true
  return view.state === "expired" && view.was === "verified" && addDays(expires_at!, LATE_DAYS) > now
}

/** Whether the wallet still belongs to the person it was verified for. A link never takes it from another person. */
async function isStillOwner({ workspace_id, wallet, investor_id }: SessionRow): Promise<boolean> {
  const rows = await sql`
    select from wallet_owner(${workspace_id}, ${wallet}) where investor_id = ${investor_id}`
  return rows.length > 0
}

const rowOf = async (token: string): Promise<SessionRow | null> => {
  const attestationId = attestationOf(token)
  return attestationId === null ? null : findAttestation(attestationId)
}

/**
 * Begins the renewal that a link is for, or finds the open one. Returns its page's URL, or null if there is nothing to
 * renew. Errors: those of starting a session, and invalid_link if the wallet now belongs to another person.
 */
export async function startRenewal(token: string, requestId: string): Promise<string | null> {
  const row = await rowOf(token)
  if (row === null || (await readRenewal(token)).state !== "renewal") return null
  const principal: Principal = {
    workspaceId: row.workspace_id,
    mode: row.mode,
    scopes: new Set(["kyc:write"]),
    via: { kind: "operator" },
  }
  const { session_url } = await startSession({
    principal,
    requestId,
    idempotency: null,
    wallet: row.wallet,
    schemaId: row.schema_id,
    redirectUrl: null,
    externalId: row.external_id,
    reminder: row.reminder_email && { email: row.reminder_email, language: row.reminder_language },
    renewalOf: { attestationId: row.id, investorId: row.investor_id },
  })
  return session_url
}

export async function stopReminders(token: string): Promise<void> {
  const row = await rowOf(token)
  if (row === null) return fail("invalid_link", "This link does not work. Check that you opened the full link.")
  await sql`
    update attestations set reminder_email = null, reminder_language = null
    where workspace_id = ${row.workspace_id} and wallet = ${row.wallet} and schema_id = ${row.schema_id}
      and investor_id = ${row.investor_id} and reminder_email is not null`
  publishActivity(row.workspace_id)
}
