import { sql } from "#db/client.ts"
import type { Audited } from "#server/ledger/index.ts"

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
