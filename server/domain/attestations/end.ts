import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { closeVendorReviews } from "#domain/reviews"

export type PendingEnd = {
  workspaceId: string
  attestationId: string
  status: "rejected" | "expired"
  reason: string | null
  revokedAt?: Date | null
  now: Date
}

/**
 * Ends a pending attestation. The same guarded update releases its unit of quota, drops a held approval and cancels an
 * attest that is still queued. An attest that is already signed continues: when it confirms, it finds the row ended,
 * and its credential is burned. Returns whether this call ended it.
 */
export async function endPending(sql: Queryable, end: PendingEnd): Promise<boolean> {
  const { workspaceId, attestationId, status, reason, revokedAt = null, now } = end
  const rows = await sql<{ ended: boolean; in_review: boolean }[]>`
    with ended as (
      update attestations
      set status = ${status}, reason = ${reason}, revoked_at = ${revokedAt}, ended_at = ${now}, open_until = null,
        claims = case when held_at is null then claims end, held_at = null
      where workspace_id = ${workspaceId} and id = ${attestationId} and status = 'pending'
      returning period, operation_id
    ), freed as (
      update usage_periods u set used = u.used - 1 from ended e
      where u.workspace_id = ${workspaceId} and u.period = e.period
    ), cancelled as (
      update operations o set status = 'failed', error_code = 'cancelled', finished_at = ${now} from ended e
      where o.workspace_id = ${workspaceId} and o.id = e.operation_id and o.status = 'queued'
    )
    select exists (select from ended) as ended, exists (select from reviews r
      where r.workspace_id = ${workspaceId} and r.attestation_id = ${attestationId} and r.kind = 'vendor'
        and r.state <> 'closed') as in_review`
  const { ended, in_review } = only(rows)
  if (ended && in_review) {
    const ending = revokedAt !== null ? "revoked" : status === "expired" ? "expired" : "vendor"
    await closeVendorReviews(sql, workspaceId, [attestationId], ending)
  }
  return ended
}
