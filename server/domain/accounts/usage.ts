import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { periodEnd, periodStart } from "./period.ts"
import { type PlanName, plans } from "./plans.ts"

export type Usage = {
  plan: PlanName
  period_start: string
  period_end: string
  included: number | null
  used: number
  remaining: number | null
  chain: ChainCosts
}

/** In lamports, as text. */
type ChainCosts = {
  transactions: number
  fee_lamports: string
  rent_lamports: string
  budget_lamports: string | null
}

/**
 * The quota of the current month, and its cost on chain so far. Sessions whose time ran out do not count, whether or
 * not a sweep has closed them.
 */
export async function readUsage(workspaceId: string): Promise<Usage> {
  const now = clock.now()
  const period = periodOf(now)
  type Row = { plan: PlanName; mode: Mode; included: number | null; used: number } & ChainCosts
  const rows = await sql<Row[]>`
    select a.plan, w.mode, a.included,
      coalesce((select used from usage_periods where workspace_id = ${workspaceId} and period = ${period}), 0)
      - (select count(*)::int from attestations
         where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now} and period = ${period}) as used,
      coalesce(c.transactions, 0)::float8 as transactions, coalesce(c.fee, 0)::text as fee_lamports,
      coalesce(c.rent, 0)::text as rent_lamports, w.budget::text as budget_lamports
    from workspaces w join accounts a on a.id = w.account_id
    left join chain_costs c on c.workspace_id = w.id and c.period = ${period}
    where w.id = ${workspaceId}`
  const { plan, mode, used, included: agreed, ...chain } = only(rows)
  // A test workspace has the free plan's limit on any plan.
  const included = mode === "test" ? plans.free : agreed
  return {
    plan,
    period_start: periodStart(now),
    period_end: periodEnd(now),
    included,
    used,
    remaining: included === null ? null : Math.max(0, included - used),
    chain,
  }
}
