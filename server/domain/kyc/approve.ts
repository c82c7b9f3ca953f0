import type { Queryable } from "#db/client.ts"
import {
  attest,
  commitmentOf,
  credentialAccounts,
  endOthers,
  endPending,
  ensureCredentialMint,
  lockOwners,
  newSalt,
  openClaims,
  sealClaims,
} from "#domain/attestations"
import type { ProviderDecision } from "#domain/providers"
import { recordHit, reopenFrozen } from "#domain/screening"
import { isBarred, isReceiving } from "#domain/tokens"
import { enqueue, refuseInQuarantine } from "#server/ledger/index.ts"
import { addDays, addSeconds, toTimestamp } from "#server/lib/time.ts"
import { type DecidedSession, lockDecided } from "./decided-session.ts"

/** How long a session stays open after its provider's first event. */
export const IN_REVIEW_SECONDS = 30 * 86_400

type Approval = Pick<ProviderDecision, "occurredAt" | "claims">

/**
 * What an approval does now. One past its validity expires. One that lacks the proof of the wallet, or whose wallet is
 * on a screening list, is held.
 */
export function approvalOn(row: DecidedSession, occurredAt: Date, now: Date): "approve" | "hold" | "expire" {
  if (addDays(issuedAt(occurredAt, now), row.validity_days) <= now) return "expire"
  return isProofMissing(row) || row.listed.length > 0 ? "hold" : "approve"
}

/**
 * Whether the investor must still prove the wallet: if the schema requires it, or if another person has proved the
 * wallet since. A wallet belongs to the last person who proved it.
 */
const isProofMissing = (row: DecidedSession): boolean =>
  row.is_proved_by_another || (row.wallet_proof_required && row.wallet_proved_at === null)

/** Time of the decision: the provider's, to the second, but never later than now. */
function issuedAt(occurredAt: Date, now: Date): Date {
  const decided = Math.min(occurredAt.getTime(), now.getTime())
  return new Date(Math.floor(decided / 1000) * 1000)
}

/** Stores the approval, sealed, until the proof or the clearing that it waits for. It expires with the session. */
export async function hold(
  sql: Queryable,
  row: DecidedSession,
  { occurredAt, claims }: Approval,
  now: Date,
): Promise<void> {
  await sql`
    update attestations set held_at = ${occurredAt}, claims = ${sealClaims(row.id, claims)}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'`
  await keepOpen(sql, row, now)
  await askForMissing(sql, row)
}

/** Requires a new proof of the wallet, even from a person who proved it before or whose schema does not require it. */
async function askForMissing(sql: Queryable, row: DecidedSession): Promise<void> {
  if (isProofMissing(row))
    await sql`
      update attestations set wallet_proof_required = true, wallet_proved_at = null
      where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'`
  // Opens the review in which a member clears the listed wallet or ends its verification.
  for (const hit of row.listed) await recordHit(sql, row.workspace_id, hit)
}

/**
 * Applies a held approval, if there is one and it no longer lacks anything. Runs in the transaction that records the
 * proof of the wallet or clears the wallet. Validity counts from the vendor's approval. Errors: chain_unavailable.
 */
export async function applyHeld(
  sql: Queryable,
  of: { sessionId: string } | { workspaceId: string; attestationId: string },
  now: Date,
): Promise<void> {
  const which =
    "sessionId" in of
      ? sql`a.session_id = ${of.sessionId}`
      : sql`a.workspace_id = ${of.workspaceId} and a.id = ${of.attestationId}`
  const row = await lockDecided(sql, which)
  if (row?.status !== "pending" || row.held_at === null) return
  const claims = row.claims === null ? {} : openClaims(row.id, row.claims)
  const effect = approvalOn(row, row.held_at, now)
  if (effect === "approve") return approve(sql, row, { occurredAt: row.held_at, claims }, now)
  if (effect === "hold") return askForMissing(sql, row)
  const { workspace_id: workspaceId, id: attestationId } = row
  await endPending(sql, { workspaceId, attestationId, status: "expired", reason: null, now })
}

/** The provider's first event extends the session to 30 days. Later events do not extend it again. */
export async function keepOpen(sql: Queryable, row: DecidedSession, now: Date): Promise<void> {
  if (row.event_at !== null || row.submitted_at !== null) return
  await sql`
    update attestations set open_until = ${addSeconds(now, IN_REVIEW_SECONDS)}, closing = false
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'`
}

/** Records the facts to attest, which cannot change from then on, and enqueues the attest operation. */
export async function approve(
  sql: Queryable,
  row: DecidedSession,
  { occurredAt, claims }: Approval,
  now: Date,
): Promise<void> {
  const { workspace_id, id, schema_id, wallet } = row
  await refuseInQuarantine(sql, workspace_id)
  await lockOwners(sql, workspace_id, [wallet])
  const isLost = await isBarred(sql, workspace_id, wallet)
  if (isLost || (await isReceiving(sql, workspace_id, { wallet, attestationId: id }))) {
    const reason = isLost ? "The wallet was reported as lost." : "The wallet was getting another investor's tokens."
    await endPending(sql, { workspaceId: workspace_id, attestationId: id, status: "rejected", reason, now })
    return
  }
  // Open its frozen accounts here: the earlier review is closed and no list names the wallet, so nothing else would.
  if (row.frozen) await reopenFrozen(sql, workspace_id, wallet)
  const issued = issuedAt(occurredAt, now)
  const expires = addDays(issued, row.validity_days)
  const salt = newSalt()
  const commitment = commitmentOf({
    attestation_id: id,
    schema: schema_id,
    user_pubkey: wallet,
    issued_at: toTimestamp(issued),
    expires_at: toTimestamp(expires),
    salt,
  })
  await ensureCredentialMint(sql, workspace_id, schema_id)
  const { mint, account } = credentialAccounts(workspace_id, schema_id, wallet)
  const operationId = await enqueue(sql, workspace_id, attest, {
    payload: { attestation_id: id, schema_id, wallet },
    writes: [account],
    reads: [mint],
  })
  await sql`
    update attestations
    set issued_at = ${issued}, approved_at = ${now}, expires_at = ${expires}, claims = ${sealClaims(id, claims)}, salt = ${salt},
      commitment = ${commitment}, operation_id = ${operationId}, open_until = null, held_at = null
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending'`
  // The wallet belongs to this person from now on, even if the credential never lands.
  await endOthers(sql, { workspaceId: workspace_id, wallets: [wallet], now })
}
