import { sql } from "#db/client.ts"
import { shownStatusInSql } from "#domain/attestations"
import { reused } from "#server/dashboard/reused.ts"
import { addDays, clock } from "#server/lib/time.ts"
import type { ShownStatus } from "#shared/statuses.ts"

const DAYS = 30
/** The number of newest verified attestations in the median. */
const SAMPLE = 5000
/** Figures of the last 30 days. */
export const readFigures = reused(countDays)

/** For each day in UTC the outcomes of the attestations started then, and how many were verified how fast. */
async function countDays(workspaceId: string) {
  const now = clock.now()
  const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
  const since = addDays(midnight, 1 - DAYS)
  const [rows, [median]] = await Promise.all([
    sql<{ day: string; status: ShownStatus; count: number; verified: number }[]>`
      select day::text, status, count, verified from (
        select (created_at at time zone 'UTC')::date as day, ${shownStatusInSql(now)} as status, count(*)::int as count,
          count(verified_at)::int as verified
        from attestations where workspace_id = ${workspaceId} and created_at >= ${since} group by 1, 2
      ) counted`,
    sql<{ seconds: number | null }[]>`
      select percentile_cont(0.5) within group (order by extract(epoch from verified_at - created_at)::float8) as seconds
      from (
        select verified_at, created_at from attestations
        where workspace_id = ${workspaceId} and created_at >= ${since} and verified_at is not null
        order by seq desc nulls last limit ${SAMPLE}
      ) sample`,
  ])
  const days = Array.from({ length: DAYS }, (_, n) => ({
    day: addDays(since, n).toISOString().slice(0, 10),
    pending: 0,
    verified: 0,
    rejected: 0,
    revoked: 0,
    expired: 0,
  }))
  const byDay = new Map(days.map((one) => [one.day, one]))
  for (const { day, status, count } of rows) {
    const counted = byDay.get(day)
    if (counted) counted[status] = count
  }
  const sum = (of: "count" | "verified") => rows.reduce((total, row) => total + row[of], 0)
  return { days, started: sum("count"), verified: sum("verified"), median_seconds: median!.seconds }
}
