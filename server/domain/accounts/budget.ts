import { type Queryable, sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { only } from "#db/rows.ts"
import { type Change, recordAccountChange, theOperator } from "#domain/audit-log"
import { clock, periodOf } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { periodEnd } from "./plans.ts"

// A limit on what a workspace's transactions cost in a month. Work in progress continues, and rights can always be
// taken away. Only new work is refused, as soon as the budget may not be enough for everything in progress.

/**
 * The most lamports that one credential, mint, transfer or payment may cost: the rent of an account of 178 bytes (`rentOf`), and
 * its fees. It is set aside for everything in progress, because that will be finished regardless.
 */
const MOST_EACH = 2_200_000

/** Whether the workspace `w` of a statement has used up its budget, or will have with everything in progress. */
export const isOverBudget = (sql: Queryable, period: string) => sql`
  case when w.budget is null then false else w.budget <= coalesce((select c.fee + c.rent from chain_costs c
      where c.workspace_id = w.id and c.period = ${period}), 0) + ${MOST_EACH}::bigint * (
    (select count(*) from attestations p where p.workspace_id = w.id and p.status = 'pending') +
    (select count(*) from operations o
      where o.workspace_id = w.id and o.status in ('queued', 'submitted')
        and (${isMovement(sql`o.`)} or o.kind in ('pay', 'anchor', 'anchor_audit_log')))) +
    (select coalesce(sum(t.fee + t.rent), 0) from transactions t
      where t.workspace_id = w.id and t.status in ('confirmed', 'failed') and t.fee is not null and t.counted_at is null)
  end`

/** Why no work that costs money may start; null if it may. */
export async function budgetRefusal(sql: Queryable, workspaceId: string) {
  const now = clock.now()
  const rows = await sql<{ is_over: boolean }[]>`
    select ${isOverBudget(sql, periodOf(now))} as is_over from workspaces w where w.id = ${workspaceId}`
  return only(rows).is_over ? overBudget(now) : null
}

export const overBudget = (now: Date) =>
  ({
    code: "sol_budget_exceeded",
    detail: `This workspace has used up its SOL budget for the month, or will with the work in progress. The next month begins at ${periodEnd(now)}.`,
  }) as const

/** Sets the budget of an account's workspace, in lamports; null is no limit. False if there is no such account. */
export const setBudget = (name: string, mode: Mode, lamports: bigint | null): Promise<boolean> =>
  sql.begin(async (sql) => {
    const [before] = await sql<{ account_id: string; id: string; budget: string | null }[]>`
      select w.account_id, w.id, w.budget::text from workspaces w join accounts a on a.id = w.account_id
      where a.name = ${name} and w.mode = ${mode} for update of w`
    if (!before) return false
    const budget = lamports === null ? null : lamports.toString()
    if (before.budget === budget) return true
    await sql`update workspaces set budget = ${budget} where id = ${before.id}`
    const detail = { mode, before: before.budget, after: budget }
    const change: Change = { author: theOperator, action: "account.budget_changed", subject: before.id, detail }
    await recordAccountChange(sql, before.account_id, change)
    return true
  })
