import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { type Timestamped, timestamped } from "#db/rows.ts"
import { recordAccountChange, theOperator } from "#domain/audit-log"
import { type Account, accountOf, holdPermission } from "#domain/people"
import type { Caller } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { Permission } from "#shared/scopes.ts"
import { includedIn, type PlanName } from "./plans.ts"

type AccountSummary = {
  account_id: string
  name: string
  plan: PlanName
  /** Live attestations per month; null means no limit. */
  included: number | null
  workspaces: Record<Mode, string>
  created_at: Date
}

export async function listAccounts(): Promise<Timestamped<AccountSummary>[]> {
  const rows = await sql<AccountSummary[]>`
    select a.id as account_id, a.name, a.plan, a.included, jsonb_object_agg(w.mode, w.id) as workspaces, a.created_at
    from accounts a join workspaces w on w.account_id = a.id
    group by a.id order by a.created_at desc, a.id`
  return rows.map(timestamped)
}

/** Changes an account's plan; this month's usage still counts. Returns false if the account does not exist. */
export const setPlan = (name: string, plan: PlanName, quota: number | null): Promise<boolean> =>
  sql.begin(async (sql) => {
    const [account] = await sql<{ id: string; plan: PlanName; included: number | null }[]>`
      select id, plan, included from accounts where name = ${name} for update`
    if (!account) return false
    const { id, ...before } = account
    const after = { plan, included: includedIn(plan, quota) }
    if (before.plan === after.plan && before.included === after.included) return true
    await sql`update accounts set ${sql(after)} where id = ${id}`
    const detail = { before, after }
    await recordAccountChange(sql, id, { author: theOperator, action: "account.plan_changed", subject: id, detail })
    return true
  })

/** Changes a workspace's account, which stays locked, as long as the caller has the permission. */
export const changeAccount = <T>(
  caller: Caller,
  permission: Permission,
  change: (sql: Queryable, account: Account) => Promise<T>,
): Promise<T> =>
  sql.begin(async (sql) => {
    const { workspaceId } = caller.principal
    await holdPermission(sql, workspaceId, caller, permission)
    return change(sql, await accountOf(sql, workspaceId, { lock: true }))
  })

/** Renames the account of a workspace, for the command line too. Errors: account_exists. */
export async function renameAccount({ name, ...caller }: Caller & { name: string }): Promise<{ name: string }> {
  await changeAccount(caller, "member:write", async (sql, { id, name: before }) => {
    if (before === name) return
    await sql`update accounts set name = ${name} where id = ${id}`
    const detail = { before, after: name }
    await recordAccountChange(sql, id, { author: caller, action: "account.renamed", subject: id, detail })
  }).catch((error) => {
    if (!isUniqueViolation(error, "accounts_name_unique")) throw error
    fail("account_exists", "name: another account on this server already has this name. Choose a different one.")
  })
  return { name }
}
