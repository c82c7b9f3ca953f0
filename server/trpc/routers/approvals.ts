import { z } from "zod"
import { approveRequest, readRequest, rejectRequest, withdrawRequest } from "#domain/approval-actions"
import * as approvals from "#domain/approvals"
import { searchText } from "#domain/investor-search"
import type { Context, Member, Principal, SignedIn } from "#domain/requests"
import { idOf, listOf, page } from "#server/lib/fields.ts"
import { plainText, words } from "#server/lib/text.ts"
import { changeBy, endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"
import { approvalStates, requestedActions } from "#shared/approvals.ts"

const { endpoint } = endpointsIn("Approvals")

const id = idOf("apr").meta({ description: "The approval's id" })
const policyId = idOf("apol").meta({ description: "The policy's id" })
const seen = z.object({ approval_id: z.string().max(100), digest: z.string().max(100) })

type Deciding = { principal: Member; requestId: string; user: SignedIn | null }

/** The member who decides, and the sign-in with which they do. */
const deciding = ({ principal, requestId, user }: Deciding, { approval_id, digest }: z.output<typeof seen>) => ({
  principal,
  requestId,
  sessionId: user?.sessionId ?? "",
  approvalId: approval_id,
  digest,
})

/** Requests that further members must approve. They do that in the dashboard only, with a second factor. */
export const approvalRouter = router({
  list: endpoint("GET /approvals", {
    scope: "token:read",
    operationId: "listApprovals",
    summary: "List approvals",
    description: "Requests that further members must approve, or had to, newest first.",
    input: z.object({
      state: z.enum(approvalStates).optional().meta({ description: "Only requests in this state" }),
      action: z.enum(requestedActions).optional().meta({ description: "Only requests of this kind" }),
      requested_by: plainText(100).optional().meta({
        description: "Only requests of this key or member, by its id: the record's `requester_id`",
        example: "key_4MpXbW9sYt2KcQvLhRz7Jd",
      }),
      ...page,
    }),
    output: listOf(approvals.approvalRecord).meta({ id: "ApprovalList" }),
  }).query(({ ctx, input: { state = null, action = null, requested_by: requestedBy = null, limit, cursor = null } }) =>
    approvals.listApprovals(ctx.principal, { state, action, requestedBy, limit, cursor }),
  ),

  get: endpoint("GET /approval/{id}", {
    scope: "token:read",
    fails: ["approval_not_found"],
    operationId: "getApproval",
    summary: "Get an approval",
    description: "Returns the request, who has approved it, and what came of it.",
    input: z.object({ id }),
    output: approvals.approvalRecord,
  }).query(({ ctx, input }) => approvals.getApproval(ctx.principal, input.id)),

  withdraw: endpoint("POST /approval/{id}/withdraw", {
    scope: "token:read",
    fails: ["approval_not_found", "approval_ended", "not_requester"],
    operationId: "withdrawApproval",
    summary: "Withdraw a request",
    description: "Ends a request that waits for approval. Only the key that made it can withdraw it.",
    input: z.object({ id }),
    output: approvals.approvalRecord,
  }).mutation(({ ctx, input }) => withdrawRequest({ ...ctx, id: input.id })),

  // For the dashboard only.

  search: memberWith("token:read")
    .input(
      z.object({
        state: z.enum(approvalStates).optional(),
        action: z.enum(requestedActions).optional(),
        q: searchText.optional(),
        ...page,
      }),
    )
    .query(({ ctx, input: { q, limit, state = null, action = null, cursor = null } }) =>
      approvals.searchApprovals(ctx.principal, { q, limit, state, action, cursor, requestedBy: null }),
    ),

  count: memberWith("token:read")
    .input(z.object({}))
    .query(({ ctx }) => approvals.countApprovals(ctx.principal)),

  detail: memberWith("token:read")
    .input(z.object({ id: z.string().max(100) }))
    .query(({ ctx, input }) => readRequest(ctx.principal, input.id)),

  approve: memberWith("review:write")
    .input(seen)
    .mutation(({ ctx, input }) => approveRequest(deciding(ctx, input))),

  reject: memberWith("review:write")
    .input(seen.extend({ reason: words(500) }))
    .mutation(({ ctx, input }) => rejectRequest({ ...deciding(ctx, input), reason: input.reason })),
})

type Writing = Context & { principal: Principal }
const writing = (ctx: Writing) => ({ ...changeBy(ctx), idempotency: ctx.idempotency })

/** Answers 202 if the change of a policy waits for another member. */
async function changed({ answer }: Writing, change: Promise<approvals.PolicyRecord>): Promise<approvals.PolicyRecord> {
  const record = await change
  if (record.status === "awaiting_approval") answer.status = 202
  return record
}

/** Which acts need the approval of further members. */
export const approvalPolicyRouter = router({
  list: endpoint("GET /approval-policies", {
    scope: "config:write",
    operationId: "listApprovalPolicies",
    summary: "List approval policies",
    description:
      "All policies of the workspace, newest first. In live workspaces, forced transfers and burns without the holder's consent need one approval even without a policy.",
    output: z.object({ data: z.array(approvals.policyRecord) }).meta({ id: "ApprovalPolicyList" }),
  }).query(async ({ ctx }) => ({ data: await approvals.listPolicies(ctx.principal.workspaceId) })),

  create: endpoint("POST /approval-policies", {
    scope: "config:write",
    accepted: "/approval/{approval_id}",
    fails: ["approver_missing", "approval_ended"],
    operationId: "createApprovalPolicy",
    summary: "Create an approval policy",
    description:
      "From now on, further members must approve what it names: the request answers 202 with status awaiting_approval. If several policies bind a request, the one that requires the most members counts. A policy that would replace another one's approvers needs an approval itself, and answers 202.",
    input: approvals.policyInput,
    output: approvals.policyRecord,
  }).mutation(({ ctx, input: policy }) => changed(ctx, approvals.createPolicy({ ...writing(ctx), policy }))),

  change: endpoint("PATCH /approval-policy/{id}", {
    scope: "config:write",
    accepted: "/approval/{approval_id}",
    fails: ["approval_policy_not_found", "approver_missing", "approval_ended"],
    operationId: "changeApprovalPolicy",
    summary: "Change an approval policy",
    description:
      "A stricter policy takes effect at once. A change that lets more through needs an approval, and answers 202. Requests that wait under the policy become void.",
    input: z.object({ id: policyId, ...approvals.policyPatch.shape }),
    output: approvals.policyRecord,
  }).mutation(({ ctx, input: { id, ...patch } }) =>
    changed(ctx, approvals.changePolicy({ ...writing(ctx), id, patch })),
  ),

  remove: endpoint("DELETE /approval-policy/{id}", {
    scope: "config:write",
    accepted: "/approval/{approval_id}",
    fails: ["approval_policy_not_found", "approver_missing", "approval_ended"],
    operationId: "deleteApprovalPolicy",
    summary: "Delete an approval policy",
    description: "Needs an approval itself, and answers 202.",
    input: z.object({ id: policyId }),
    output: approvals.policyRecord,
  }).mutation(({ ctx, input: { id } }) => changed(ctx, approvals.changePolicy({ ...writing(ctx), id, patch: null }))),

  // For the dashboard only.

  overview: memberWith("token:read")
    .input(z.object({}))
    .query(({ ctx }) => approvals.readPolicies(ctx.principal)),
})
