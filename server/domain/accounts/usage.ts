import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { clock, periodOf, startOfMonth } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { type PlanName, periodEnd, periodStart, plans } from "./plans.ts"

export const MAX_MONTHS = 24

type Plan = { plan: PlanName; included: number | null }
/** A change, with the value before it. */
type Changed<Value> = { at: Date; before: Value }

/** The quota of the current month, and its cost on chain so far. */
export const readUsage = async (workspaceId: string) => (await readUsageHistory(workspaceId, 1))[0]!

/** The months of a workspace, the current one first. Each is what `readUsage` returned at its end. */
export async function readUsageHistory(workspaceId: string, months: number) {
  const now = clock.now()
  const owners = await sql<(Plan & { account_id: string; mode: Mode; budget: string | null; created_at: Date })[]>`
    select a.id as account_id, a.plan, a.included, w.mode, w.budget::text, w.created_at
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  const { account_id, mode, budget, created_at, ...plan } = only(owners)
  const starts = monthsBack(now, months).filter((start, i) => i === 0 || periodOf(start) >= periodOf(created_at))
  const since = starts.at(-1)!
  const [rows, plansBefore, budgetsBefore] = await Promise.all([
    readMonths(workspaceId, starts.map(periodOf), now),
    readChanges<Plan>(account_id, { subject: account_id, action: "account.plan_changed", since }),
    readChanges<string | null>(account_id, { subject: workspaceId, action: "account.budget_changed", since }),
  ])
  return starts.map((start, i) => {
    const { used, ...chain } = rows[i]!
    const period_end = periodEnd(start)
    const held = valueAt(plansBefore, period_end, plan)
    // A test workspace has the free plan's limit on any plan.
    const included = mode === "test" ? plans.free : held.included
    return {
      plan: held.plan,
      period_start: periodStart(start),
      period_end,
      included,
      used,
      remaining: included === null ? null : Math.max(0, included - used),
      /** In lamports, as text. */
      chain: { ...chain, budget_lamports: valueAt(budgetsBefore, period_end, budget) },
    }
  })
}

/** The starts of months, from the month of `since` on. */
export function monthsBack(time: Date, count: number): Date[] {
  const start = startOfMonth(time)
  return Array.from({ length: count }, (_, n) => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - n, 1)))
}

/** The value just before a time: the one that the first later change replaced. */
const valueAt = <Value>(changes: readonly Changed<Value>[], end: string, current: Value): Value => {
  const next = changes.find(({ at }) => at >= new Date(end))
  return next === undefined ? current : next.before
}

/** The audit log keeps each change permanently. Oldest first. */
const readChanges = <Value>(
  accountId: string,
  { subject, action, since }: { subject: string; action: string; since: Date },
) => sql<Changed<Value>[]>`
  select at, detail -> 'before' as before from audit_entries
  where account_id = ${accountId} and subject = ${subject} and action = ${action} and at >= ${since}
  order by at, seq`

type Month = { used: number; transactions: number; fee_lamports: string; rent_lamports: string }

/** Sessions whose time ran out do not count, whether or not a sweep has closed them. */
const readMonths = (workspaceId: string, periods: readonly string[], now: Date) => sql<Month[]>`
  select coalesce(u.used, 0) - (select count(*)::int from attestations
      where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now} and period = p.period) as used,
    coalesce(c.transactions, 0)::float8 as transactions, coalesce(c.fee, 0)::text as fee_lamports,
    coalesce(c.rent, 0)::text as rent_lamports
  from unnest(${periods as string[]}::text[]) with ordinality as p(period, place)
    left join usage_periods u on u.workspace_id = ${workspaceId} and u.period = p.period
    left join chain_costs c on c.workspace_id = ${workspaceId} and c.period = p.period
  order by p.place`
