import { type Queryable, sql } from "#db/client.ts"
import type { Audited } from "#server/ledger/index.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { periodEnd, secondsLeftIn } from "./plans.ts"

/**
 * The most starts in a month for each unit of quota. A session that ends unverified releases its unit, but its rows
 * stay. Without this limit, a key that repeatedly starts and cancels could fill the database.
 */
const STARTS_PER_UNIT = 10

/** How an insert into `usage_periods as u` takes a unit if the month already has a row. `limits` has `included`. */
export const takingUnit = (sql: Queryable) => sql`
  on conflict (workspace_id, period) do update set used = u.used + 1, started = u.started + 1
  where (select included is null or (u.used + 1 <= included
    and u.started < included * ${STARTS_PER_UNIT}::bigint) from limits)`

/** Refuses a session beyond the month's quota or its limit of starts. */
export async function quotaExceeded(sql: Queryable, workspaceId: string, included: number | null): Promise<never> {
  const now = clock.now()
  const most = included === null ? null : included * STARTS_PER_UNIT
  const [month] = await sql`
    select from usage_periods
    where workspace_id = ${workspaceId} and period = ${periodOf(now)} and started >= ${most}::bigint
      and used < ${included}`
  const why =
    month === undefined
      ? `All ${included} attestations of this month are used.`
      : `This workspace has started ${most} sessions this month: ${STARTS_PER_UNIT} for each of its ${included} attestations. A session that ends unverified gives its attestation back, but still counts as started.`
  return fail("quota_exceeded", `${why} The next period begins at ${periodEnd(now)}.`, {
    retryAfterSeconds: secondsLeftIn(now),
  })
}

/** The count of each month must equal the attestations that did not end unverified. */
export async function auditQuota({ workspaceId, report }: Audited): Promise<void> {
  const rows = await sql<{ period: string; used: number; counted: number }[]>`
    with counted as (
      select period, count(*) filter (where status = 'pending' or verified_at is not null)::int as counted
      from attestations where workspace_id = ${workspaceId} group by period
    ), used as (
      select period, used from usage_periods where workspace_id = ${workspaceId}
    )
    select coalesce(u.period, c.period) as period, coalesce(u.used, 0) as used, coalesce(c.counted, 0) as counted
    from used u full join counted c on c.period = u.period
    where coalesce(u.used, 0) <> coalesce(c.counted, 0)`
  for (const { period, used, counted } of rows) {
    report.differences.push({
      kind: "quota",
      detail: `${workspaceId}: ${used} units are counted for ${period}, but ${counted} attestations hold one`,
    })
  }
}
