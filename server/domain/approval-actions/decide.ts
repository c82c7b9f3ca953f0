import { repeatOnDeadlock, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import {
  type ApprovalRecord,
  type Approving,
  approversOf,
  findApproval,
  rejectApproval,
  stateOf,
  toApprovalRecord,
  validApprovals,
  withdrawApproval,
} from "#domain/approvals"
import type { Caller, IdempotencyClaim, Principal } from "#domain/requests"
import { claimKey } from "#domain/requests"
import { type Preflight, preflightOf } from "#domain/tokens"
import { approvalActions, movementOf } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import { actions } from "./actions.ts"

/**
 * Approves a request as a member. If its policy or rules have changed, it becomes void. Errors: approval_not_found,
 * approval_ended, second_factor_required, second_person_required.
 */
export async function approveRequest(approving: Approving): Promise<ApprovalRecord> {
  const { workspaceId } = approving.principal
  const row = await findApproval(sql, workspaceId, approving.approvalId)
  await actions[row.action].approve(approving, row)
  const now = await findApproval(sql, workspaceId, approving.approvalId)
  publishActivity(workspaceId)
  if (now.state === "void") fail("approval_ended", `This request has become void. ${now.reason} It must be made again.`)
  return toApprovalRecord(now)
}

/** Errors: approval_not_found, approval_ended, second_factor_required, second_person_required. */
export async function rejectRequest(rejecting: Approving & { reason: string }): Promise<ApprovalRecord> {
  const { workspaceId } = rejecting.principal
  await repeatOnDeadlock(() => sql.begin((sql) => rejectApproval(sql, rejecting)))
  publishActivity(workspaceId)
  return toApprovalRecord(await findApproval(sql, workspaceId, rejecting.approvalId))
}

/** Errors: approval_not_found, approval_ended, not_requester. */
export async function withdrawRequest({
  id,
  idempotency,
  ...author
}: Caller & { id: string; idempotency: IdempotencyClaim | null }): Promise<ApprovalRecord> {
  const { workspaceId } = author.principal
  const row = await sql.begin(async (sql) => {
    const row = await withdrawApproval(sql, author, id)
    if (idempotency && idempotency.begun === null) await claimKey(sql, idempotency, id)
    return row
  })
  publishActivity(workspaceId)
  return toApprovalRecord(row)
}

export type ApprovalDetail = ApprovalRecord & {
  label: string
  /** The key's request that the log may still have; null if a member made the request. */
  request_id: string | null
  /** Whether the reader may approve it, apart from a second factor that they must use. */
  can_approve: boolean
  has_approved: boolean
  /** Name of the member who rejected it, or at whose decision it became void. */
  ended_by: string | null
  is_own: boolean
  /** Whether the reader themselves requested it, not a key that they know. */
  is_requester: boolean
  /** What the rules say now about a movement that waits; null for other requests. */
  preflight: Preflight | null
}

/** A request for a member to decide. Errors: approval_not_found. */
export async function readRequest(principal: Principal, id: string): Promise<ApprovalDetail> {
  const { workspaceId, via } = principal
  const row = await findApproval(sql, workspaceId, id)
  const userId = via.kind === "user" ? via.userId : ""
  const isPending = stateOf(row) === "pending"
  const approvers = isPending ? await approversOf(sql, row) : new Set<string>()
  const valid = await validApprovals(sql, row, approvers)
  const has_approved = valid.some(({ id }) => id === userId)
  const can_approve = approvers.has(userId) && !has_approved
  const kind = movementOf(row.action)
  return {
    ...toApprovalRecord(row),
    // While it waits, only those that count: a member may have lost their role since.
    ...(isPending && { given: valid.map(({ by, at }) => ({ by, at })) }),
    label: approvalActions[row.action],
    request_id: row.requester.id.startsWith("key_") ? row.request_id : null,
    can_approve,
    has_approved,
    ended_by: row.ended_by,
    is_own: row.requesters.includes(userId),
    is_requester: row.requester.id === userId,
    preflight: isPending && kind !== null ? await preflightOf(principal, kind, row.request) : null,
  }
}
