import { isDeepStrictEqual } from "node:util"
import { z } from "zod"
import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, only } from "#db/rows.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import { claimKey, type IdempotencyClaim } from "#domain/requests"
import { idOf, matching, NAME, timestamp, wholeNumber } from "#server/lib/fields.ts"
import { isId, newId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { allApprovalActions, approverRoles, MOST_APPROVALS, MOST_HOURS, tokenActions } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import { findApproval, requirePending } from "./approval.ts"
import { approversOf, requesterOf } from "./approvers.ts"
import { askApproval } from "./ask.ts"
import { type Binding, bindingPolicy, displaces, loosens, type Policy, type PolicyRow } from "./policy.ts"

/** The most policies of a workspace: each request compares itself with all of them. */
const MOST_POLICIES = 50

const fields = {
  actions: z
    .array(z.enum(allApprovalActions))
    .min(1, "must name at least one")
    .transform((actions) => [...new Set(actions)].sort())
    .meta({ description: "What needs approval", example: ["force_transfer"] }),
  mint_config: matching(NAME, "must be the id of a mint configuration")
    .nullable()
    .meta({ description: "Only requests about this mint configuration; null for all", example: null }),
  min_amount: matching(/^(0|[1-9][0-9]{0,19})(\.[0-9]{1,9})?$/, "must be an amount such as 1000 or 0.5")
    .nullable()
    .meta({
      description:
        "Only amounts of at least so many whole tokens; in a policy only about `attestation_revoke_bulk`, so many verifications. Null for every amount",
      example: "1000",
    }),
  approvals: wholeNumber(1, MOST_APPROVALS).meta({ description: "How many members must approve", example: 1 }),
  roles: z
    .array(z.enum(approverRoles))
    .min(1, "must name at least one")
    .transform((roles) => [...new Set(roles)].sort())
    .meta({ description: "Whose approval counts", example: ["owner", "compliance"] }),
  expires_in_hours: wholeNumber(1, MOST_HOURS).meta({ description: "How long a request waits", example: 72 }),
}
export const policyInput = z.object({
  ...fields,
  mint_config: fields.mint_config.default(null),
  min_amount: fields.min_amount.default(null),
  roles: fields.roles.default([...approverRoles].sort()),
  expires_in_hours: fields.expires_in_hours.default(72),
})
export type PolicyInput = z.output<typeof policyInput>
export const policyPatch = z.object(fields).partial()
export type PolicyPatch = z.output<typeof policyPatch>

export const policyRecord = z
  .object({
    policy_id: idOf("apol").meta({ description: "The policy's id" }),
    ...fields,
    actions: z.array(z.enum(allApprovalActions)).meta({ example: ["force_transfer"] }),
    roles: z.array(z.enum(approverRoles)).meta({ example: ["owner", "compliance"] }),
    created_at: timestamp,
    status: z.enum(["active", "awaiting_approval", "deleted"]).meta({
      description: "`awaiting_approval`: the change in this response waits for another member; the policy is unchanged",
      example: "active",
    }),
    approval_id: idOf("apr").nullable().meta({ description: "The approval that the change waits for", example: null }),
  })
  .meta({ id: "ApprovalPolicy" })
export type PolicyRecord = z.infer<typeof policyRecord>

const policyColumns = columns(
  "approval_policies",
  "id, version, actions, mint_config, min_amount, approvals, roles, expires_in_hours, created_at",
)
type StoredPolicy = PolicyRow & { created_at: Date }

/** The mode and the policies of the workspace of a row `c`, as a column of a statement that reads the row anyway. */
export const bindingColumn = (sql: Queryable) => sql`
  (select jsonb_build_object('mode', w.mode, 'policies', coalesce((
    select jsonb_agg(to_jsonb(p) - 'workspace_id') from approval_policies p where p.workspace_id = w.id), '[]'))
  from workspaces w where w.id = c.workspace_id)`

export async function loadBinding(sql: Queryable, workspaceId: string): Promise<Binding> {
  const { binding } = only(
    await sql<{ binding: Binding }[]>`
      select ${bindingColumn(sql)} as binding from (select ${workspaceId} as workspace_id) as c`,
  )
  return binding
}

/** Newest first. */
export async function listPolicies(workspaceId: string): Promise<PolicyRecord[]> {
  const rows = await sql<StoredPolicy[]>`
    select ${sql(policyColumns)} from approval_policies where workspace_id = ${workspaceId}
    order by created_at desc, id`
  return rows.map((row) => toRecord(row))
}

type Writing = { workspaceId: string; author: Author; idempotency: IdempotencyClaim | null }

/**
 * Creates a policy. One that puts other approvers in the place of an existing policy's is asked for first. Errors:
 * approver_missing, validation_failed.
 */
export async function createPolicy(writing: Writing & { policy: PolicyInput }): Promise<PolicyRecord> {
  const { workspaceId, author, idempotency, policy } = writing
  return announced(workspaceId, async (sql) => {
    const policies = await lockPolicies(sql, writing)
    if (idempotency?.begun) return joined(sql, workspaceId, policies, idempotency.begun)
    const id = newId("apol")
    if (policies.length >= MOST_POLICIES)
      fail("validation_failed", `A workspace has at most ${MOST_POLICIES} policies. Delete one first.`)
    requireBinding(policy)
    await requireApprovers(sql, writing, policy)
    const added: Policy = { ...policy, id, version: 1 }
    const row: StoredPolicy = { ...policy, id, version: 1, created_at: clock.now() }
    if (policies.some((existing) => displaces(added, existing)))
      return toRecord(row, await ask(sql, writing, id, { create: policy }, 1))
    if (idempotency) await claimKey(sql, idempotency, id)
    return toRecord(await insertPolicy(sql, workspaceId, id, policy, author))
  })
}

/**
 * Changes or, without a patch, deletes a policy. What loosens it is asked for first. A patch with what it already says
 * changes nothing. Errors: approval_policy_not_found, approver_missing.
 */
export async function changePolicy(
  writing: Writing & { id: string; patch: PolicyPatch | null },
): Promise<PolicyRecord> {
  const { workspaceId, author, idempotency, id, patch } = writing
  return announced(workspaceId, async (sql) => {
    const policies = await lockPolicies(sql, writing)
    if (idempotency?.begun) return joined(sql, workspaceId, policies, idempotency.begun)
    const before = policies.find((one) => one.id === id) ?? policyNotFound(id)
    const after = patch && { ...before, ...given(patch) }
    if (isDeepStrictEqual(after, before)) {
      // Another version would void the requests that wait.
      if (idempotency) await claimKey(sql, idempotency, id)
      return toRecord(before)
    }
    if (after) {
      requireBinding(after)
      await requireApprovers(sql, writing, after)
    }
    const others = policies.filter((one) => one.id !== id)
    if (loosens(before, after) || (after && others.some((existing) => displaces(after, existing))))
      return toRecord(before, await ask(sql, writing, id, { change: patch && given(patch) }, before.version))
    if (idempotency) await claimKey(sql, idempotency, id)
    return applyChange(sql, workspaceId, { policy: before, patch, author })
  })
}

/** What a repeat of a request answers whose key was claimed for a policy, or for the approval that it waits for. */
async function joined(
  sql: Queryable,
  workspaceId: string,
  policies: readonly StoredPolicy[],
  begun: string,
): Promise<PolicyRecord> {
  const approval = isId("apr", begun) ? await findApproval(sql, workspaceId, begun) : null
  const id = approval?.subject ?? begun
  const stored = policies.find((one) => one.id === id)
  if (approval === null || (approval.state === "approved" && stored)) return toRecord(stored ?? policyNotFound(id))
  requirePending(approval)
  const request = approval.request as PolicyRequest
  const created = "create" in request && { ...request.create, id, version: 1, created_at: approval.created_at }
  return toRecord(stored ?? (created || policyNotFound(id)), approval.id)
}

/** Changes policies in a transaction, and then tells the pages that show them. */
async function announced<T>(workspaceId: string, change: (sql: Transaction) => Promise<T>): Promise<T> {
  const result = await sql.begin(change)
  publishActivity(workspaceId)
  return result as T
}

/** What a stored request changes. */
export type PolicyRequest = { create: PolicyInput } | { change: PolicyPatch | null }

/** The version of the policy that a request would change, which identifies what was asked for; null if it is gone. */
export async function policyVersion(sql: Queryable, workspaceId: string, id: string, request: PolicyRequest) {
  const policies = await lockPolicies(sql, { workspaceId, author: null })
  const policy = policies.find((one) => one.id === id)
  return "create" in request ? 1 : (policy?.version ?? null)
}

/** Does what was requested and approved. */
export async function applyPolicyRequest(
  sql: Queryable,
  workspaceId: string,
  { id, request, author }: { id: string; request: PolicyRequest; author: Author },
): Promise<void> {
  const policies = await lockPolicies(sql, { workspaceId, author: null })
  if ("create" in request) {
    await insertPolicy(sql, workspaceId, id, request.create, author)
    return
  }
  const policy = policies.find((one) => one.id === id) ?? policyNotFound(id)
  await applyChange(sql, workspaceId, { policy, patch: request.change, author })
}

async function insertPolicy(
  sql: Queryable,
  workspaceId: string,
  id: string,
  policy: PolicyInput,
  author: Author,
): Promise<StoredPolicy> {
  const row = only(
    await sql<StoredPolicy[]>`
      insert into approval_policies ${sql({ ...policy, id, workspace_id: workspaceId, created_at: clock.now() } as never)}
      returning ${sql(policyColumns)}`,
  )
  await recordChange(sql, workspaceId, { author, action: "approval_policy.created", subject: id, detail: policy })
  return row
}

async function applyChange(
  sql: Queryable,
  workspaceId: string,
  { policy, patch, author }: { policy: StoredPolicy; patch: PolicyPatch | null; author: Author },
): Promise<PolicyRecord> {
  const { id, version } = policy
  if (patch === null) {
    await sql`delete from approval_policies where workspace_id = ${workspaceId} and id = ${id}`
    await recordChange(sql, workspaceId, { author, action: "approval_policy.deleted", subject: id })
    return { ...toRecord(policy), status: "deleted" }
  }
  const row = only(
    await sql<StoredPolicy[]>`
      update approval_policies set ${sql({ ...given(patch), version: version + 1 } as never)}
      where workspace_id = ${workspaceId} and id = ${id} returning ${sql(policyColumns)}`,
  )
  const detail = { changed: given(patch) }
  await recordChange(sql, workspaceId, { author, action: "approval_policy.changed", subject: id, detail })
  return toRecord(row)
}

/** The fields that a patch has. */
const given = (patch: PolicyPatch) =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))

/** All policies. One change at a time, because each is compared with the others. */
async function lockPolicies(
  sql: Queryable,
  { workspaceId, author }: { workspaceId: string; author: Author | null },
): Promise<StoredPolicy[]> {
  if (author) await holdPermission(sql, workspaceId, author, "config:write")
  await sql`select from workspaces where id = ${workspaceId} for no key update`
  return sql<StoredPolicy[]>`
    select ${sql(policyColumns)} from approval_policies where workspace_id = ${workspaceId} order by id`
}

/** A policy must be able to bind each act that it names. Errors: validation_failed. */
function requireBinding({ actions, mint_config }: Pick<Policy, "actions" | "mint_config">): void {
  const other = mint_config === null ? undefined : actions.find((action) => !tokenActions.includes(action))
  if (other !== undefined)
    fail(
      "validation_failed",
      `mint_config: ${other} is not about one token, so this policy could not bind it. Leave mint_config out, or create a policy for it.`,
    )
}

/** A policy that too few members could satisfy would stop what it is about. Errors: approver_missing. */
async function requireApprovers(
  sql: Queryable,
  { workspaceId, author }: Writing,
  { approvals, roles }: Pick<Policy, "approvals" | "roles">,
): Promise<void> {
  const { members } = await requesterOf(sql, workspaceId, author)
  const about = { workspace_id: workspaceId, roles, requesters: members, created_at: clock.now() }
  const { size } = await approversOf(sql, about)
  if (size < approvals)
    fail(
      "approver_missing",
      `approvals: besides you, only ${size} ${size === 1 ? "member" : "members"} could approve. Invite another ${roles.join(" or ")} first.`,
    )
}

/** Asks for a change. Its key is claimed for the approval, which repeats join. */
async function ask(
  sql: Queryable,
  { workspaceId, author, idempotency }: Writing,
  id: string,
  request: PolicyRequest,
  version: number,
): Promise<string> {
  const asked = { action: "policy_change", mint_config: null, amount: null, isForced: false } as const
  const policy = bindingPolicy(await loadBinding(sql, workspaceId), asked)!
  const about = { ...asked, subject: id, operationId: null, request, policy, rules: String(version), author }
  const approval = await askApproval(sql, workspaceId, about)
  if (idempotency) await claimKey(sql, idempotency, approval.id)
  return approval.id
}

const toRecord = (
  { id, version: _, created_at, ...policy }: StoredPolicy,
  approvalId: string | null = null,
): PolicyRecord => ({
  policy_id: id,
  ...policy,
  created_at: toTimestamp(created_at),
  status: approvalId === null ? "active" : "awaiting_approval",
  approval_id: approvalId,
})

const policyNotFound = (id: string): never =>
  fail(
    "approval_policy_not_found",
    `id: this workspace has no approval policy ${isId("apol", id) ? id : "with this id"}. List them with GET /approval-policies.`,
  )
