import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { listPolicies, type PolicyRequest } from "./policies.ts"
import { defaultPolicies } from "./policy.ts"

/** The policies, the defaults, which have no id, and the changes of policies that wait for another member. */
export async function readPolicies({ workspaceId, mode }: Principal) {
  const rows = await sql<{ id: string; subject: string; request: PolicyRequest }[]>`
    select id, subject, request from approvals
    where workspace_id = ${workspaceId} and action = 'policy_change' and state = 'pending' and expires_at > ${clock.now()}
    order by seq desc`
  return {
    policies: await listPolicies(workspaceId),
    defaults: defaultPolicies(mode).map(({ id: _id, version: _, ...policy }) => ({ ...policy, policy_id: null })),
    waiting: rows.map(({ id, subject, request }) => ({
      approval_id: id,
      policy_id: subject,
      is_new: "create" in request,
      deletes: "change" in request && request.change === null,
    })),
  }
}
