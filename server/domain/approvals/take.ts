import type { Queryable } from "#db/client.ts"
import { type AuditAction, type Author, recordChange } from "#domain/audit-log"
import { requireFreshFactor, stillHasPermission } from "#domain/people"
import type { Caller, Member } from "#domain/requests"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { type ApprovalState, requestedWith } from "#shared/approvals.ts"
import { type ErrorCode, fail } from "#shared/errors.ts"
import { type ApprovalRow, digestOf, findApproval, requirePending } from "./approval.ts"
import { approversOf, validApprovals } from "./approvers.ts"
import type { Policy } from "./policy.ts"

/** A member at the page of a request, as they saw it. */
export type Approving = Caller<Member> & { sessionId: string; approvalId: string; digest: string }

/** What binds the request now. */
export type Current = { policy: Policy | null; rules: string }

/**
 * Takes a member's approval, in the transaction that acts on it. Returns whether it was the last one needed: then the
 * caller acts, and reports with `settleApproval`. Earlier approvals count only if their members could give them ever since.
 * If the policy or the rules have changed, the request becomes void. Errors: approval_not_found, approval_ended,
 * second_factor_required, second_person_required.
 */
export async function takeApproval(
  sql: Queryable,
  approving: Approving,
  { policy, rules }: Current,
): Promise<{ act: boolean; row: ApprovalRow }> {
  const row = await lockFor(sql, approving)
  const isChanged = digestOf({ action: row.action, request: row.request, policy, rules }) !== row.digest
  const reason = isChanged
    ? "The policy, or what the request is about, has changed since."
    : !(await canStillRequest(sql, row)) && "The requester has lost access since."
  if (reason !== false) {
    await end(sql, approving, row, { state: "void", reason })
    return { act: false, row: { ...row, state: "void", reason } }
  }
  const approvers = await requireApprover(sql, approving, row)
  const { userId, name } = approving.principal.via
  const valid = await validApprovals(sql, row, approvers)
  if (valid.some(({ id }) => id === userId))
    fail("second_person_required", "You have already approved this. It needs another member.")
  const given = [...valid, { id: userId, by: name, at: toTimestamp(clock.now()) }]
  const act = given.length >= row.needed
  await sql`
    update approvals set given = ${sql.json(given)} where workspace_id = ${row.workspace_id} and id = ${row.id}`
  if (act) await end(sql, approving, row, { state: "approved", reason: null })
  else await note(sql, approving, row, "approval.given")
  return { act, row: { ...row, given } }
}

/** Records what came of an approved request, in the transaction that acted on it. */
export async function settleApproval(
  sql: Queryable,
  { workspace_id, id }: Pick<ApprovalRow, "workspace_id" | "id">,
  result: { operationId: string | null } | { refusal: { code: ErrorCode; detail: string } },
): Promise<void> {
  const outcome =
    "refusal" in result
      ? { error: result.refusal.code, detail: result.refusal.detail }
      : { ...(result.operationId !== null && { operation_id: result.operationId }) }
  await sql`
    update approvals set outcome = ${sql.json(outcome)} where workspace_id = ${workspace_id} and id = ${id}`
}

/**
 * Rejects a request, as a member who could have approved it. Errors: approval_not_found, approval_ended,
 * second_factor_required, second_person_required.
 */
export async function rejectApproval(sql: Queryable, rejecting: Approving & { reason: string }): Promise<void> {
  const row = await lockFor(sql, rejecting)
  await requireApprover(sql, rejecting, row)
  await end(sql, rejecting, row, { state: "rejected", reason: rejecting.reason })
}

/** Ends a request that can no longer be done, at a decision by any member. Errors: those of `lockFor`. */
export async function voidApproval(sql: Queryable, approving: Approving, reason: string): Promise<void> {
  await end(sql, approving, await lockFor(sql, approving), { state: "void", reason })
}

/** Ends a request that waits because what it is about has ended. Does nothing if it no longer waits. */
export async function dropApproval(
  sql: Queryable,
  author: Author,
  about: { workspaceId: string; approvalId: string; reason: string },
): Promise<void> {
  const row = await findApproval(sql, about.workspaceId, about.approvalId, { lock: true })
  if (row.state === "pending") await end(sql, author, row, { state: "void", reason: about.reason })
}

/** Withdraws a request, as its requester. Errors: approval_not_found, approval_ended, second_person_required. */
export async function withdrawApproval(sql: Queryable, author: Caller, approvalId: string): Promise<ApprovalRow> {
  const { workspaceId, via } = author.principal
  const row = await findApproval(sql, workspaceId, approvalId, { lock: true })
  const isOwn =
    via.kind === "key" ? row.requester.id === via.keyId : via.kind === "user" && row.requesters.includes(via.userId)
  if (!isOwn) fail("not_requester", "id: only the key or the member that made this request can withdraw it.")
  if (row.state === "withdrawn") return row
  requirePending(row)
  await end(sql, author, row, { state: "withdrawn", reason: null })
  return findApproval(sql, workspaceId, approvalId)
}

/** Locks a request that waits, for a member who has seen it. */
async function lockFor(sql: Queryable, { principal, sessionId, approvalId, digest }: Approving): Promise<ApprovalRow> {
  const row = await findApproval(sql, principal.workspaceId, approvalId, { lock: true })
  requirePending(row)
  if (digest !== row.digest) fail("approval_ended", "digest: this is not what was requested. Reload the page.")
  await requireFreshFactor(sql, { userId: principal.via.userId, sessionId })
  return row
}

/** The members who can approve, locked, of whom the caller is one. Errors: second_person_required. */
async function requireApprover(sql: Queryable, { principal }: Approving, row: ApprovalRow): Promise<Set<string>> {
  const approvers = await approversOf(sql, row, { lock: true })
  if (!approvers.has(principal.via.userId))
    fail(
      "second_person_required",
      `This needs another member (${row.roles.join(" or ")}): one who did not request it, directly or with a key, and whose own mailbox is confirmed.`,
    )
  return approvers
}

/** Whether the key still works, or the person could still make the request. */
async function canStillRequest(
  sql: Queryable,
  { workspace_id, action, requester: { kind, id } }: ApprovalRow,
): Promise<boolean> {
  if (kind === "user") return stillHasPermission(sql, workspace_id, id, requestedWith[action])
  const [key] = await sql`
    select from api_keys where workspace_id = ${workspace_id} and id = ${id} and revoked_at is null
      and (expires_at is null or expires_at > ${clock.now()}) for share`
  return key !== undefined
}

/** Ends a request that waits. The row is locked, and the guard is below the code. */
async function end(
  sql: Queryable,
  author: Author,
  row: ApprovalRow,
  { state, reason }: { state: Exclude<ApprovalState, "pending">; reason: string | null },
): Promise<void> {
  const by = "via" in author.principal && author.principal.via.kind === "user" ? author.principal.via.name : null
  const ended = await sql`
    update approvals set state = ${state}, reason = ${reason}, ended_by = ${by}, ended_at = ${clock.now()}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and state = 'pending' returning id`
  if (ended.length !== 1) throw new Error(`${row.id} has ended although it was locked`)
  await note(sql, author, row, `approval.${state}`)
}

const note = (sql: Queryable, author: Author, row: ApprovalRow, action: AuditAction): Promise<void> =>
  recordChange(sql, row.workspace_id, {
    author,
    action,
    subject: row.subject,
    detail: { action: row.action, approval: row.id, digest: row.digest, requested_by: row.requester.name },
  })
