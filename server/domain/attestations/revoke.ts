import { type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { claimKey, type IdempotencyClaim, type Principal } from "#domain/requests"
import { refuseToEndAlone } from "#domain/reviews"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { endPending } from "./end.ts"
import { attestationNotFound, getAttestation } from "./read.ts"
import type { AttestationRecord } from "./record.ts"
import { revokeCredential } from "./revoke-credential.ts"
import { statusAt } from "./status.ts"

const revokedColumns = columns("attestations", "workspace_id, id, status, schema_id, wallet, open_until, expires_at")

/**
 * Revokes an attestation. A pending one is rejected, and its attest operation is cancelled if it is still queued; a
 * verified one has its credential burned. One that has ended is returned unchanged. Errors: attestation_not_found,
 * review_open.
 */
export async function revokeAttestation({
  principal,
  requestId,
  idempotency,
  attestationId,
  reason,
  publicReason,
}: {
  principal: Principal
  requestId: string
  idempotency: IdempotencyClaim | null
  attestationId: string
  reason: string
  /** The public reason for the investor; null for the default. */
  publicReason: PublicReason | null
}): Promise<AttestationRecord> {
  if (!isId("att", attestationId)) return attestationNotFound(attestationId)
  const { workspaceId } = principal
  const claim = idempotency?.begun === null ? idempotency : null
  const author = { principal, requestId }
  await repeatOnDeadlock(() =>
    sql.begin(async (sql) => {
      await refuseToEndAlone(sql, { workspaceId, author, attestationIds: [attestationId] })
      const outcome = await revokeIn(sql, { workspaceId, attestationId, author, reason, publicReason })
      if (outcome === "unknown") return attestationNotFound(attestationId)
      if (claim) await claimKey(sql, claim, attestationId)
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
  return getAttestation(principal, attestationId)
}

/** The same, as part of a transaction. The caller publishes `ledger` and the activity after the commit. */
export async function revokeIn(
  sql: Queryable,
  {
    workspaceId,
    attestationId,
    author,
    reason,
    publicReason,
  }: {
    workspaceId: string
    attestationId: string
    author: Author
    reason: string
    publicReason: PublicReason | null
  },
): Promise<"revoked" | "ended before" | "unknown"> {
  const now = clock.now()
  const [row] = await sql<RowOf<typeof revokedColumns>[]>`
    select ${sql(revokedColumns)} from attestations
    where workspace_id = ${workspaceId} and id = ${attestationId} for update`
  if (!row) return "unknown"
  // An expired attestation has ended, whether or not the sweep has run.
  const status = statusAt(row, now)
  if (status === "pending") {
    await endPending(sql, { workspaceId, attestationId, status: "rejected", reason, revokedAt: now, now })
  } else if (status === "verified") {
    await sql`
      update attestations set status = 'rejected', reason = ${reason}, revoked_at = ${now}, ended_at = ${now}
      where workspace_id = ${workspaceId} and id = ${attestationId}`
    await revokeCredential(sql, row)
  } else return "ended before"
  await sql`
    update attestations set public_reason = ${publicReason}
    where workspace_id = ${workspaceId} and id = ${attestationId}`
  // The reason is left out, because a line of the audit log can never be erased. The attestation has it.
  await recordChange(sql, workspaceId, {
    author,
    action: "attestation.revoked",
    subject: attestationId,
    detail: { was: status },
  })
  return "revoked"
}
