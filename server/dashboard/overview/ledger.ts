import { sql } from "#db/client.ts"
import { type QuarantineReason, readQuarantine } from "#server/ledger/restore/state.ts"
import { toTimestamp } from "#server/lib/time.ts"

/** How the ledger of one workspace is doing. Of others nothing is said: one differs without the other. */
export type LedgerState = {
  /** Why nothing is signed for it; null when it is. */
  quarantine: QuarantineReason | null
  /** The last reconciliation, and how many differences it found; null before the first. */
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
