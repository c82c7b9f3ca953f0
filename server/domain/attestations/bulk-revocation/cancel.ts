import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import type { Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { type BulkRevocation, bulkRevocationNotFound, readBulkRevocation } from "./read.ts"

/**
 * Cancels a list in progress: revoked attestations stay revoked, the current one is finished, and the others are left
 * unchanged. A list that has ended stays unchanged. Errors: bulk_revocation_not_found, insufficient_scope.
 */
export async function cancelBulkRevocation({
  principal,
  requestId,
  id,
}: {
  principal: Principal & { via: { kind: "user" } }
  requestId: string
  id: string
}): Promise<BulkRevocation | null> {
  const { workspaceId, via } = principal
  const author = { principal, requestId }
  await sql.begin(async (sql) => {
    // Waits for the worker, which holds the lock while it revokes one.
    const [job] = await sql<{ attestations: number; ended_at: Date | null }[]>`
      select attestations, ended_at from bulk_revocations
      where workspace_id = ${workspaceId} and id = ${id} for no key update`
    await holdPermission(sql, workspaceId, author, "attestation:write")
    if (!job) return bulkRevocationNotFound()
    if (job.ended_at !== null) return
    const { count: left } = await sql`
      update bulk_revocation_items set outcome = 'left'
      where workspace_id = ${workspaceId} and revocation_id = ${id} and outcome is null`
    // All are done, and a worker is about to mark the list as finished.
    if (left === 0) return
    await sql`
      update bulk_revocations set ended_at = ${clock.now()}, reason = null, canceller_name = ${via.name}
      where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { attestations: job.attestations, left }
    await recordChange(sql, workspaceId, { author, action: "bulk_revocation.stopped", subject: id, detail })
  })
  publishActivity(workspaceId)
  return readBulkRevocation(principal, id)
}
