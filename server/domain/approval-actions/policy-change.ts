import { sql } from "#db/client.ts"
import {
  applyPolicyRequest,
  bindingPolicy,
  loadBinding,
  type PolicyRequest,
  policyVersion,
  settleApproval,
  takeApproval,
} from "#domain/approvals"
import type { Action } from "./action.ts"

/** A change that loosens a policy, or its end. */
export const policyChange: Action = {
  async approve(approving, { workspace_id, subject, request: stored }) {
    const request = stored as PolicyRequest
    await sql.begin(async (sql) => {
      // First the policies, which a change of a policy locks before it asks.
      const version = await policyVersion(sql, workspace_id, subject, request)
      const asked = { action: "policy_change", mint_config: null, amount: null, isForced: false } as const
      const policy = bindingPolicy(await loadBinding(sql, workspace_id), asked)
      const { act, row } = await takeApproval(sql, approving, { policy, rules: String(version) })
      if (!act) return
      await applyPolicyRequest(sql, workspace_id, { id: subject, request, author: approving })
      await settleApproval(sql, row, { operationId: null })
    })
  },
}
