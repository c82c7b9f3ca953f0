import type { Transaction } from "#db/client.ts"
import { plans } from "#domain/accounts"

/** Percentages of a month's quota that are announced, once each. */
const THRESHOLDS = [100, 80]

/**
 * Stages the events of quotas that sessions have used up to a threshold. They are checked in batches, not at each
 * start. If two thresholds are passed at once, only the higher one is announced.
 */
export async function stageQuotaEvents(sql: Transaction): Promise<void> {
  await sql`
    with opened as (
      select workspace_id, max(occurred_at) as at from staged_events where type = 'session.opened' group by workspace_id
    ), latest as (
      select distinct on (u.workspace_id) u.workspace_id, u.period, u.used, o.at,
        case w.mode when 'test' then ${plans.free}::int else a.included end as included
      from opened o join usage_periods u using (workspace_id)
      join workspaces w on w.id = u.workspace_id join accounts a on a.id = w.account_id
      order by u.workspace_id, u.period desc
    ), passed as (
      select l.*, max(t.percent) as percent
      from latest l cross join unnest(${THRESHOLDS}::int[]) as t(percent)
      where l.used * 100::bigint >= l.included * t.percent::bigint
      group by l.workspace_id, l.period, l.used, l.included, l.at
    ), noted as (
      insert into event_counters as c (workspace_id, quota_period, quota_percent)
      select workspace_id, period, percent from passed order by workspace_id
      on conflict (workspace_id) do update set quota_period = excluded.quota_period, quota_percent = excluded.quota_percent
      where c.quota_period is distinct from excluded.quota_period or c.quota_percent < excluded.quota_percent
      returning workspace_id
    )
    insert into staged_events (workspace_id, type, data, occurred_at)
    select workspace_id, 'quota.threshold', jsonb_build_object('period_start', period || 'T00:00:00Z',
      'percent', percent, 'used', used, 'included', included), at
    from passed join noted using (workspace_id)`
}
