import { sql } from "drizzle-orm"
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { ApprovalAction, ApprovalState, ApproverRole, RequestedAction } from "#shared/approvals.ts"
import { ofWorkspace } from "./accounts.ts"
import { time } from "./columns.ts"

/** Which acts need the approval of further members. */
export const approvalPolicies = pgTable(
  "approval_policies",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    /** Increases with every change, so that an approval counts only for the policy under which it was requested. */
    version: integer().notNull().default(1),
    actions: text().array().$type<ApprovalAction[]>().notNull(),
    /** The only configuration that it is about; null for all. */
    mintConfig: text("mint_config"),
    /** Whole tokens: smaller amounts need no approval. Null for every amount. */
    minAmount: text("min_amount"),
    approvals: integer().notNull(),
    roles: text().array().$type<ApproverRole[]>().notNull(),
    expiresInHours: integer("expires_in_hours").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check("approval_policies_approvals", sql`${t.approvals} between 1 and 3`),
    check("approval_policies_hours", sql`${t.expiresInHours} between 1 and 336`),
  ],
)

/** Requests that wait, or waited, for members. An operation that waits has no row in `operations` yet. */
export const approvals = pgTable(
  "approvals",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    action: text().$type<RequestedAction>().notNull(),
    /** What it is about: the operation or the policy. */
    subject: text().notNull(),
    /** The request's body, from which it is done once approved. */
    request: jsonb().$type<Record<string, unknown>>().notNull(),
    /** SHA-256 of the request, the policy's version and the rules, base64url: what an approver approves. */
    digest: text().notNull(),
    /** Null for the default policy. */
    policyId: text("policy_id"),
    needed: integer().notNull(),
    roles: text().array().$type<ApproverRole[]>().notNull(),
    /** Who requested it, by their name at that time. */
    requester: jsonb().$type<{ kind: "key" | "user"; id: string; name: string }>().notNull(),
    /** The members behind it, who cannot approve it: the requester, or those who know the key's secret. */
    requesters: text().array().notNull(),
    requestId: text("request_id"),
    given: jsonb().$type<{ id: string; by: string; at: string }[]>().notNull().default(sql`'[]'`),
    state: text().$type<ApprovalState>().notNull().default("pending"),
    /** Why it was rejected, or has become void. */
    reason: text(),
    endedBy: text("ended_by"),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    endedAt: time("ended_at"),
    /** The operation's id, which exists from the request on; null for acts that are no operation. */
    operationId: text("operation_id"),
    /** What came of an approved one. */
    outcome: jsonb().$type<
      { operation_id: string } | { key_id: string } | { error: string; detail: string } | Record<string, never>
    >(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check(
      "approvals_state",
      sql`${t.state} in ('pending', 'approved', 'rejected', 'withdrawn', 'expired', 'void') and (${t.state} = 'pending') = (${t.endedAt} is null)`,
    ),
    // The list, newest first; and what waits, for the count in the menu and the sweep
    index("approvals_newest").on(t.workspaceId, t.seq.desc()),
    index("approvals_waiting").on(t.workspaceId, t.expiresAt).where(sql`state = 'pending'`),
    // An operation that waits, or was never begun
    uniqueIndex("approvals_operation").on(t.workspaceId, t.operationId).where(sql`operation_id is not null`),
  ],
)
