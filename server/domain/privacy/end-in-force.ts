import type { Queryable } from "#db/client.ts"
import { endPending, revokeCredential, statusAt } from "#domain/attestations"
import type { ErasedRow } from "./erased-row.ts"

/**
 * Ends pending and verified attestations like a revocation. Leaves those past their time to the sweep, which ends them as
 * expired. Returns those that it ended.
 */
export async function endInForce(sql: Queryable, attestations: readonly ErasedRow[], now: Date): Promise<ErasedRow[]> {
  const inForce = attestations.filter((row) => ["pending", "verified"].includes(statusAt(row, now)))
  for (const row of inForce) {
    const { workspace_id: workspaceId, id, status } = row
    if (status === "pending") {
      const end = { status: "rejected", reason: null, revokedAt: now, now } as const
      await endPending(sql, { workspaceId, attestationId: id, ...end })
    } else {
      await sql`
        update attestations set status = 'rejected', revoked_at = ${now}, ended_at = ${now}
        where workspace_id = ${workspaceId} and id = ${id}`
      await revokeCredential(sql, row)
    }
  }
  return inForce
}
