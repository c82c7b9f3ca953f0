import { background, sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { badCursor, fromCursor, pageOf } from "#server/lib/cursor.ts"
import { clock } from "#server/lib/time.ts"
import type { ApprovalState, RequestedAction } from "#shared/approvals.ts"
import { type ApprovalRecord, type ApprovalRow, approvalColumns, findApproval, toApprovalRecord } from "./approval.ts"

export type ApprovalFilter = {
  state: ApprovalState | null
  action: RequestedAction | null
  /** Id of a key or a member. */
  requestedBy: string | null
  limit: number
  cursor: string | null
}

/** Errors: approval_not_found. */
export const getApproval = async ({ workspaceId }: Principal, id: string): Promise<ApprovalRecord> =>
  toApprovalRecord(await findApproval(sql, workspaceId, id))

/** Newest first. Errors: validation_failed for a cursor. */
export async function listApprovals(
  { workspaceId }: Principal,
  { state, action, requestedBy, limit, cursor }: ApprovalFilter,
): Promise<{ data: ApprovalRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const rows = await sql<ApprovalRow[]>`
    select ${sql(approvalColumns)} from approvals where workspace_id = ${workspaceId}
      ${state === null ? sql`` : hasState(state)}
      ${action === null ? sql`` : sql`and action = ${action}`}
      ${requestedBy === null ? sql`` : sql`and requester->>'id' = ${requestedBy}`}
      ${before === null ? sql`` : sql`and seq < ${before}`}
    order by seq desc nulls last limit ${limit + 1}`
  return pageOf(rows, limit, toApprovalRecord)
}

/** By the time of reading. */
function hasState(state: ApprovalState) {
  const now = clock.now()
  if (state === "pending") return sql`and state = 'pending' and expires_at > ${now}`
  if (state === "expired") return sql`and (state = 'expired' or state = 'pending' and expires_at <= ${now})`
  return sql`and state = ${state}`
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from approvals where workspace_id = ${workspaceId} and id = ${fromCursor("apr", cursor)}`
  return row?.seq ?? badCursor()
}

/** How many requests wait. */
export async function countApprovals({ workspaceId }: Principal): Promise<{ waiting: number }> {
  const [row] = await sql<{ count: bigint }[]>`
    select count(*) from approvals
    where workspace_id = ${workspaceId} and state = 'pending' and expires_at > ${clock.now()}`
  return { waiting: Number(row!.count) }
}

/** Moves requests whose time has come. Until then they are read as expired, so this decides nothing. */
export async function expireApprovals(now: Date): Promise<void> {
  await background`
    update approvals set state = 'expired', ended_at = expires_at
    where state = 'pending' and expires_at <= ${now}`
}
