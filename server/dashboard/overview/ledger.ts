import { sql } from "#db/client.ts"
import { type QuarantineReason, readQuarantine } from "#server/ledger/index.ts"
import { toTimestamp } from "#server/lib/time.ts"

/** The state of one workspace's ledger. Workspaces differ independently. */
export type LedgerState = {
  /** Why nothing is signed for it, or null. */
  quarantine: QuarantineReason | null
  /** The last reconciliation with its number of differences. Null before the first. */
  audit: { at: string; differences: number } | null
}

export async function readLedgerState(workspaceId: string): Promise<LedgerState> {
  const [quarantine, [audit]] = await Promise.all([
    readQuarantine(sql, workspaceId),
    sql<{ at: Date; differences: number }[]>`
      select at, differences from audits where workspace_id = ${workspaceId} and at is not null`,
  ])
  return {
    quarantine,
    audit: audit ? { at: toTimestamp(audit.at), differences: audit.differences } : null,
  }
}
