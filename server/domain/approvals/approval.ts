import { createHash } from "node:crypto"
import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { idOf, timestamp } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { canonicalJson, type Json } from "#server/lib/json.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { type ApprovalState, approvalStates, requestedActions } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import type { Policy } from "./policy.ts"

export const approvalColumns = columns(
  "approvals",
  "workspace_id, id, seq, action, subject, request, digest, policy_id, needed, roles, requester, requesters, given",
  "state, request_id, reason, ended_by, created_at, expires_at, ended_at, operation_id, outcome",
)
export type ApprovalRow = RowOf<typeof approvalColumns>

/** What an approver approves: the request, and the policy and rules that bind it, as they were when it was made. */
export const digestOf = (about: {
  action: string
  request: Record<string, unknown>
  policy: Policy | null
  rules: string
}): string => {
  const { action, request, policy, rules } = about
  const binding = policy && { id: policy.id, version: policy.version }
  return createHash("sha256")
    .update(canonicalJson({ action, request: request as Json, policy: binding, rules } as Json))
    .digest("base64url")
}

/** The state now: a request expires as soon as its time has come, and a sweep updates the row later. */
export const stateOf = ({ state, expires_at }: Pick<ApprovalRow, "state" | "expires_at">): ApprovalState =>
  state === "pending" && expires_at <= clock.now() ? "expired" : state

export const approvalRecord = z
  .object({
    approval_id: idOf("apr").meta({ description: "The approval's id" }),
    action: z.enum(requestedActions).meta({ description: "What was requested", example: "force_transfer" }),
    subject: z.string().max(100).meta({
      description: "What it is about: id of an operation, mint configuration, policy and so on, or a wallet's address",
      example: "op_9sXcVbNmQwErTyUiPaSdFg",
    }),
    request: z.record(z.string(), z.unknown()).meta({
      description: "The body of the request",
      example: {
        user_pubkey: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
        mint_config: "us_real_estate_fund_v1",
        amount: "1000000",
      },
    }),
    digest: z.string().meta({
      pattern: "^[A-Za-z0-9_-]{43}$",
      description: "SHA-256 of the request, the policy's version and the state of what it is about, base64url",
      example: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
    }),
    policy_id: idOf("apol").nullable().meta({ description: "The policy; null for the default one", example: null }),
    needed: z.number().int().meta({ description: "How many members must approve", example: 1 }),
    given: z
      .array(
        z.object({
          by: z.string().meta({ description: "The member's name", example: "Ada Byron" }),
          at: timestamp,
        }),
      )
      .meta({ description: "The approvals so far" }),
    state: z.enum(approvalStates).meta({
      description:
        "Only `pending` is not final. `void`: the policy or what it is about has changed, so the request must be made again",
      example: "pending",
    }),
    requested_by: z.string().meta({ description: "Name of the key or member that requested it", example: "Backend" }),
    requester_id: z.string().meta({
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      description: "The id of that key or member. `requested_by` in the list's query filters by it",
      example: "key_4MpXbW9sYt2KcQvLhRz7Jd",
    }),
    reason: z.string().nullable().meta({ description: "Why it was rejected or became void", example: null }),
    created_at: timestamp,
    expires_at: timestamp,
    ended_at: timestamp.nullable().meta({ description: "Null while pending", example: null }),
    outcome: z
      .object({
        operation_id: z.string().optional().meta({ description: "The operation that it began" }),
        key_id: z.string().optional().meta({ description: "The key, once its requester has collected the secret" }),
        error: z.string().optional().meta({ description: "The code with which it was refused once approved" }),
        detail: z.string().optional(),
      })
      .nullable()
      .meta({ description: "What came of it once approved, empty if it has no operation; null before", example: null }),
  })
  .meta({ id: "Approval" })
export type ApprovalRecord = z.infer<typeof approvalRecord>

export const toApprovalRecord = (row: ApprovalRow): ApprovalRecord => {
  const state = stateOf(row)
  const endedAt = row.ended_at ?? (state === "expired" ? row.expires_at : null)
  return {
    approval_id: row.id,
    action: row.action,
    subject: row.subject,
    request: row.request,
    digest: row.digest,
    policy_id: row.policy_id,
    needed: row.needed,
    given: row.given.map(({ by, at }) => ({ by, at })),
    state,
    requested_by: row.requester.name,
    requester_id: row.requester.id,
    reason: row.reason,
    created_at: toTimestamp(row.created_at),
    expires_at: toTimestamp(row.expires_at),
    ended_at: endedAt && toTimestamp(endedAt),
    outcome: row.outcome,
  }
}

const approvalNotFound = (id: string): never =>
  fail(
    "approval_not_found",
    `id: this workspace has no approval ${isId("apr", id) ? id : "with this id"}. List them with GET /approvals.`,
  )

/** Errors: approval_not_found. */
export async function findApproval(
  sql: Queryable,
  workspaceId: string,
  id: string,
  { lock = false } = {},
): Promise<ApprovalRow> {
  if (!isId("apr", id)) return approvalNotFound(id)
  const [row] = await sql<ApprovalRow[]>`
    select ${sql(approvalColumns)} from approvals where workspace_id = ${workspaceId} and id = ${id}
    ${lock ? sql`for update` : sql``}`
  return row ?? approvalNotFound(id)
}

/** The request of an operation that was never begun; null if there is none. */
export async function approvalOfOperation(
  sql: Queryable,
  workspaceId: string,
  operationId: string,
): Promise<ApprovalRow | null> {
  const [row] = await sql<ApprovalRow[]>`
    select ${sql(approvalColumns)} from approvals
    where workspace_id = ${workspaceId} and operation_id = ${operationId}`
  return row ?? null
}

/** Errors: approval_ended. */
export function requirePending(row: ApprovalRow): void {
  const state = stateOf(row)
  if (state !== "pending")
    fail(
      "approval_ended",
      `This request is no longer waiting: it is ${state}${row.ended_by ? `, by ${row.ended_by}` : ""}.`,
    )
}
