import { background, sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { isOneOf, type NamedPeople, readNamed } from "#domain/investor-search"
import type { Member, Principal } from "#domain/requests"
import { badCursor, fromCursor, pageOf, toCursor } from "#server/lib/cursor.ts"
import { clock } from "#server/lib/time.ts"
import type { ApprovalState, RequestedAction } from "#shared/approvals.ts"
import { type ApprovalRecord, type ApprovalRow, approvalColumns, findApproval, toApprovalRecord } from "./approval.ts"
import { withApprovers } from "./approvers.ts"

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
  { limit, cursor, ...filter }: ApprovalFilter,
): Promise<{ data: ApprovalRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const rows = await sql<ApprovalRow[]>`
    select ${sql(approvalColumns)} from approvals where ${rangeOf(workspaceId, filter, before)}
    order by seq desc nulls last limit ${limit + 1}`
  return pageOf(rows, limit, toApprovalRecord)
}

/** The most requests to search for one page, because no index covers whom they name. */
const LOOKED_THROUGH = 10_000

/**
 * The same with a text that names people or wallets. A page may have fewer than `limit` requests, or none, and still a
 * cursor: then older ones have not been searched yet. Errors: validation_failed for a cursor.
 */
export async function searchApprovals(
  principal: Principal,
  { q, limit, cursor, ...filter }: ApprovalFilter & { q: string | undefined },
): Promise<{ data: ApprovalRecord[]; next_cursor: string | null }> {
  const { workspaceId } = principal
  const named = await readNamed(workspaceId, q)
  if (named === null) return listApprovals(principal, { limit, cursor, ...filter })
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const range = () => rangeOf(workspaceId, filter, before)
  const rows = await sql<ApprovalRow[]>`
    select ${sql(approvalColumns)} from (
      select * from approvals where ${range()} order by seq desc nulls last limit ${LOOKED_THROUGH}
    ) recent where ${isAbout(named)} order by seq desc nulls last limit ${limit + 1}`
  const page = pageOf(rows, limit, toApprovalRecord)
  if (page.next_cursor !== null) return page
  const [last] = await sql<{ id: string }[]>`
    select id from approvals where ${range()} order by seq desc nulls last limit 1 offset ${LOOKED_THROUGH - 1}`
  return { ...page, next_cursor: last ? toCursor(last.id) : null }
}

type Range = Pick<ApprovalFilter, "state" | "action" | "requestedBy">

const rangeOf = (workspaceId: string, { state, action, requestedBy }: Range, before: bigint | null) => sql`
  workspace_id = ${workspaceId}
  ${state === null ? sql`` : hasState(state)}
  ${action === null ? sql`` : sql`and action = ${action}`}
  ${requestedBy === null ? sql`` : sql`and requester->>'id' = ${requestedBy}`}
  ${before === null ? sql`` : sql`and seq < ${before}`}`

/** Whether the request names a person or a wallet. Lists of ids are in it, too. */
const isAbout = ({ ids, hasWallet, hasInvestor }: NamedPeople) => {
  const value = sql`(part #>> '{}')`
  const isMeant = ids === null ? sql`${hasWallet(value)} or ${hasInvestor(value)}` : isOneOf(value, ids)
  return sql`exists (select from jsonb_path_query(request, 'lax $.*[*]') part where ${isMeant})`
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

/** The requests that wait for this member, and the oldest: those that they can approve and have not approved yet. */
export async function countApprovalsFor(member: Member): Promise<{ count: number; oldest: ApprovalRecord | null }> {
  const { workspaceId, via } = member
  const rows = await sql<{ count: number; oldest: string | null }[]>`
    select count(*)::int, (array_agg(q.id order by q.created_at))[1] as oldest
    from approvals q ${withApprovers(sql)} and m.user_id = ${via.userId}
      and q.workspace_id = ${workspaceId} and q.state = 'pending' and q.expires_at > ${clock.now()}
      and not q.given @> ${sql.json([{ id: via.userId }])}`
  const { count, oldest } = only(rows)
  return { count, oldest: oldest === null ? null : await getApproval(member, oldest) }
}

/** Moves requests whose time has come. Until then they are read as expired, so this decides nothing. */
export async function expireApprovals(now: Date): Promise<void> {
  await background`
    update approvals set state = 'expired', ended_at = expires_at
    where state = 'pending' and expires_at <= ${now}`
}
