import type { Transaction } from "#db/client.ts"
import { plans } from "#server/domain/accounts/plans.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Staged } from "./staged.ts"

/** Percentages of a month's quota that are announced, once each. */
const THRESHOLDS = [100, 80]

/**
 * The events of quotas that sessions have used up to a threshold. They are checked in batches, not at each start. If
 * two thresholds are passed at once, only the higher one is announced.
 */
export async function quotaEvents(sql: Transaction, told: readonly Staged[]): Promise<Staged[]> {
  const opened = told.filter(({ type }) => type === "session.opened")
  const at = opened.at(-1)?.occurred_at
  if (at === undefined) return []
  const workspaces = [...new Set(opened.map(({ workspace_id }) => workspace_id))].sort()
  type Row = { workspace_id: string; period: string; percent: number; used: number; included: number }
  const rows = await sql<Row[]>`
    with latest as (
      select distinct on (u.workspace_id) u.workspace_id, u.period, u.used,
        case w.mode when 'test' then ${plans.free}::int else a.included end as included
      from usage_periods u join workspaces w on w.id = u.workspace_id join accounts a on a.id = w.account_id
      where u.workspace_id = any(${workspaces}) order by u.workspace_id, u.period desc
    ), passed as (
      select l.*, max(t.percent) as percent
      from latest l cross join unnest(${THRESHOLDS}::int[]) as t(percent)
      where l.used * 100::bigint >= l.included * t.percent::bigint
      group by l.workspace_id, l.period, l.used, l.included
    ), noted as (
      insert into event_counters as c (workspace_id, quota_period, quota_percent)
      select workspace_id, period, percent from passed order by workspace_id
      on conflict (workspace_id) do update set quota_period = excluded.quota_period, quota_percent = excluded.quota_percent
      where c.quota_period is distinct from excluded.quota_period or c.quota_percent < excluded.quota_percent
      returning workspace_id
    )
    select workspace_id, period, percent, used, included from passed join noted using (workspace_id)`
  return rows.map(({ workspace_id, period, percent, used, included }) => ({
    workspace_id,
    type: "quota.threshold",
    data: { period_start: toTimestamp(new Date(period)), percent, used, included },
    occurred_at: at,
  }))
}
