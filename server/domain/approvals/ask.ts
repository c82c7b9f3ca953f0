import type { Queryable } from "#db/client.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { RequestedAction } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import { type ApprovalRow, approvalColumns, digestOf } from "./approval.ts"
import { missingApprovers, requesterOf } from "./approvers.ts"
import type { Policy } from "./policy.ts"

export type Asking = {
  action: RequestedAction
  subject: string
  operationId: string | null
  request: Record<string, unknown>
  /** Fields of the request that the audit log must not keep, because its entries can never be erased. */
  personal?: readonly string[]
  policy: Policy
  /** Identifies the rules that the request was checked against. */
  rules: string
  author: Author
}

/** Asks for the approvals that a policy requires, instead of acting. Errors: approver_missing. */
export async function askApproval(sql: Queryable, workspaceId: string, asking: Asking): Promise<ApprovalRow> {
  const { action, subject, operationId, request, personal = [], policy, author } = asking
  const now = clock.now()
  const requester = await requesterOf(sql, workspaceId, author)
  const { members, ...shown } = requester
  const missing = await missingApprovers(sql, workspaceId, requester, policy)
  if (missing !== null) fail("approver_missing", missing)
  const [row] = await sql<ApprovalRow[]>`
    insert into approvals
      (workspace_id, id, action, subject, request, digest, policy_id, needed, roles, requester, requesters, request_id,
        created_at, expires_at, operation_id)
    values (${workspaceId}, ${newId("apr")}, ${action}, ${subject}, ${sql.json(request as never)}, ${digestOf(asking)},
      ${policy.id}, ${policy.approvals}, ${policy.roles}, ${sql.json(shown)}, ${members}, ${author.requestId}, ${now},
      ${addSeconds(now, policy.expires_in_hours * 3600)}, ${operationId})
    returning ${sql(approvalColumns)}`
  const kept = Object.fromEntries(Object.entries(request).filter(([name]) => !personal.includes(name)))
  const detail = { action, approval: row!.id, digest: row!.digest, request: kept }
  await recordChange(sql, workspaceId, { author, action: "approval.requested", subject, detail })
  return row!
}
