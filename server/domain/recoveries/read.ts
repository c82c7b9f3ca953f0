import { sql } from "#db/client.ts"
import { seqAt } from "#db/seq-at.ts"
import { requireInvestor } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { readPositions } from "#domain/tokens"
import { pageOf } from "#server/lib/cursor.ts"
import {
  endingOf,
  findRecovery,
  type RecoveryRecord,
  type RecoveryRow,
  recoveryRows,
  toRecoveryRecord,
  toRow,
} from "./recovery.ts"

/** Errors: recovery_not_found. */
export const readRecovery = async (principal: Principal, id: string): Promise<RecoveryRecord> =>
  recordOf(principal, await findRecovery(sql, principal.workspaceId, id))

/** The recoveries of an investor's wallets, newest first. Errors: investor_not_found, validation_failed for a cursor. */
export async function listRecoveries(
  principal: Principal,
  { investorId, limit, cursor }: { investorId: string; limit: number; cursor: string | null },
): Promise<{ data: RecoveryRecord[]; next_cursor: string | null }> {
  const { workspaceId } = principal
  const id = await requireInvestor(workspaceId, investorId)
  const before = cursor === null ? null : await seqAt("recoveries", "rec", workspaceId, cursor)
  const rows = await sql<RecoveryRow[]>`
    ${recoveryRows(sql)} where r.workspace_id = ${workspaceId} and r.investor_id in
      (select id from investors where workspace_id = ${workspaceId} and (id = ${id} or merged_into = ${id}))
      ${before === null ? sql`` : sql`and r.seq < ${before}`}
    order by r.seq desc limit ${limit + 1}`
  const records = new Map<string, RecoveryRecord>()
  for (const row of rows.slice(0, limit)) records.set(row.id, await recordOf(principal, toRow(row)))
  const { next_cursor } = pageOf(rows, limit, ({ id }) => id)
  return { data: [...records.values()], next_cursor }
}

/** Positions are balances, so reading them needs `token:read`, too. */
async function recordOf(principal: Principal, row: RecoveryRow): Promise<RecoveryRecord> {
  if (!principal.scopes.has("token:read")) return toRecoveryRecord(row, [])
  const { state } = endingOf(row)
  const isOpen = state === "barred" || state === "awaiting_approval" || state === "in_progress"
  const phase = isOpen ? "open" : state === "failed" ? "stopped" : "ended"
  const about = { recoveryId: row.id, lost: row.lost_wallet, newWallet: row.new_wallet, phase } as const
  return toRecoveryRecord(row, await readPositions(principal, about))
}
