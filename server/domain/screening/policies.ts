import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { recordChange } from "#domain/audit-log"
import { changeAs } from "#domain/people"
import type { Caller } from "#domain/requests"
import { type ChosenPolicies, type Policies, policiesOf, policyNames } from "#shared/monitoring.ts"

/** What a workspace does on a match or a signal. */
export async function readPolicies(sql: Queryable, workspaceId: string): Promise<Policies> {
  const rows = await sql<{ policies: ChosenPolicies }[]>`
    select policies from workspaces where id = ${workspaceId}`
  return policiesOf(only(rows).policies)
}

/**
 * Changes the policies. If wallets on a list are to be frozen, earlier matches are frozen too. Frozen wallets stay
 * frozen until their review is decided. Errors: insufficient_scope.
 */
export const changePolicies = ({ changes, ...caller }: Caller & { changes: ChosenPolicies }): Promise<Policies> =>
  changeAs(caller, "review:write", async (sql) => {
    const { workspaceId } = caller.principal
    await sql`select from workspaces where id = ${workspaceId} for no key update`
    const before = await readPolicies(sql, workspaceId)
    const after = policiesOf({ ...before, ...changes })
    const changed = policyNames.filter((name) => before[name] !== after[name])
    if (changed.length === 0) return after
    await sql`update workspaces set policies = ${sql.json(after)} where id = ${workspaceId}`
    const pick = (all: Policies) => Object.fromEntries(changed.map((name) => [name, all[name]]))
    const detail = { before: pick(before), after: pick(after) }
    await recordChange(sql, workspaceId, { author: caller, action: "policies.changed", subject: workspaceId, detail })
    // Compare earlier matches again (`rescreen.ts`).
    if (changed.includes("wallet_listed")) await sql`delete from screenings where workspace_id = ${workspaceId}`
    return after
  })
