import { sql } from "#db/client.ts"
import { recordAccountChange, theOperator } from "#domain/audit-log"
import { toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { includedIn, type PlanName } from "./plans.ts"

export type AccountSummary = {
  account_id: string
  name: string
  plan: PlanName
  /** Live attestations per month; null means no limit. */
  included: number | null
  workspaces: Record<Mode, string>
  created_at: string
}

export async function listAccounts(): Promise<AccountSummary[]> {
  const rows = await sql<
    {
      id: string
      name: string
      plan: PlanName
      included: number | null
      live: string
      test: string
      created_at: Date
    }[]
  >`
    select a.id, a.name, a.plan, a.included, a.created_at,
      max(w.id) filter (where w.mode = 'live') as live, max(w.id) filter (where w.mode = 'test') as test
    from accounts a join workspaces w on w.account_id = a.id
    group by a.id order by a.created_at desc, a.id`
  return rows.map(({ id, name, plan, included, live, test, created_at }) => ({
    account_id: id,
    name,
    plan,
    included,
    workspaces: { live, test },
    created_at: toTimestamp(created_at),
  }))
}

/** Changes an account's plan; this month's usage still counts. Returns false if the account does not exist. */
export const setPlan = (name: string, plan: PlanName, quota: number | null): Promise<boolean> =>
  sql.begin(async (sql) => {
    const [before] = await sql<{ id: string; plan: PlanName; included: number | null }[]>`
      select id, plan, included from accounts where name = ${name} for update`
    if (!before) return false
    const included = includedIn(plan, quota)
    if (before.plan === plan && before.included === included) return true
    await sql`update accounts set plan = ${plan}, included = ${included} where id = ${before.id}`
    await recordAccountChange(sql, before.id, {
      author: theOperator,
      action: "account.plan_changed",
      subject: before.id,
      detail: { before: { plan: before.plan, included: before.included }, after: { plan, included } },
    })
    return true
  })
