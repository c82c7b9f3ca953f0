import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
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
export async function changePolicies({
  workspaceId,
  author,
  changes,
}: {
  workspaceId: string
  author: Author
  changes: ChosenPolicies
}): Promise<Policies> {
  const after = await sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "review:write")
    await sql`select from workspaces where id = ${workspaceId} for no key update`
    const before = await readPolicies(sql, workspaceId)
    const after = policiesOf({ ...before, ...changes })
    const changed = policyNames.filter((name) => before[name] !== after[name])
    if (changed.length === 0) return after
    await sql`update workspaces set policies = ${sql.json(after)} where id = ${workspaceId}`
    const only = (all: Policies) => Object.fromEntries(changed.map((name) => [name, all[name]]))
    await recordChange(sql, workspaceId, {
      author,
      action: "policies.changed",
      subject: workspaceId,
      detail: { before: only(before), after: only(after) },
    })
    // Compare earlier matches again (`rescreen.ts`).
    if (changed.includes("wallet_listed")) await sql`delete from screenings where workspace_id = ${workspaceId}`
    return after
  })
  publishActivity(workspaceId)
  return after
}
