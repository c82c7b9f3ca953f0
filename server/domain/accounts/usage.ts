import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { periodEnd, periodOf, periodStart } from "./period.ts"
import { type PlanName, plans } from "./plans.ts"

export type Usage = {
  plan: PlanName
  period_start: string
  period_end: string
  included: number | null
  used: number
  remaining: number | null
}

/** The quota of the current month. Sessions that closed by time do not count, whether or not they were swept. */
export async function readUsage(workspaceId: string): Promise<Usage> {
  const now = clock.now()
  const period = periodOf(now)
  const rows = await sql<{ plan: PlanName; mode: Mode; included: number | null; used: number }[]>`
    select a.plan, w.mode, a.included,
      coalesce((select used from usage_periods where workspace_id = ${workspaceId} and period = ${period}), 0)
      - (select count(*)::int from attestations
         where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now} and period = ${period}) as used
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  const { plan, mode, used, ...account } = only(rows)
  // A test workspace has the free plan's limit on any plan.
  const included = mode === "test" ? plans.free : account.included
  return {
    plan,
    period_start: periodStart(now),
    period_end: periodEnd(now),
    included,
    used,
    remaining: included === null ? null : Math.max(0, included - used),
  }
}
