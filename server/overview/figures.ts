import { sql } from "#db/client.ts"
import { type AttestationStatus, statusInSql } from "#server/attestations/status.ts"
import { addDays, clock } from "#server/time.ts"

const DAYS = 30
/** Part of a connection's time that the figures of a workspace may take, however often they are asked for. */
const SHARE = 1 / 20
const CACHE_MAX = 1000

export type Figures = {
  /** Of each day in UTC, the oldest first: what became of the attestations that began then. */
  days: ({ day: string } & Record<AttestationStatus, number>)[]
  started: number
  /** How many of them were ever verified, and how long half of those took at most, from the start to the chain. */
  verified: number
  median_seconds: number | null
}

type Kept = { figures: Promise<Figures>; until: number }

const kept = new Map<string, Kept>()

/**
 * Figures of the last 30 days. They are read from the rows, whose number is bounded by the quota of two months; an answer
 * that took long is given again for twenty times as long.
 */
export function readFigures(workspaceId: string): Promise<Figures> {
  const known = kept.get(workspaceId)
  if (known && known.until > performance.now()) return known.figures
  const began = performance.now()
  // While it is being read, nobody begins another one.
  const entry: Kept = { figures: countDays(workspaceId), until: Number.POSITIVE_INFINITY }
  if (kept.size >= CACHE_MAX) kept.clear()
  kept.set(workspaceId, entry)
  entry.figures.then(
    () => {
      const end = performance.now()
      entry.until = end + (end - began) / SHARE
    },
    () => kept.delete(workspaceId),
  )
  return entry.figures
}

async function countDays(workspaceId: string): Promise<Figures> {
  const now = clock.now()
  const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
  const since = addDays(midnight, 1 - DAYS)
  const rows = await sql<
    {
      day: string | null
      status: AttestationStatus | null
      count: number
      verified: number
      median: number | null
    }[]
  >`
    with recent as (
      select (created_at at time zone 'UTC')::date as day, ${statusInSql(now)} as status,
        extract(epoch from verified_at - created_at)::float8 as took
      from attestations where workspace_id = ${workspaceId} and created_at >= ${since}
    ), counted as (
      select day, status, count(*)::int as count from recent group by day, status
    )
    select day::text, status, count, 0 as verified, null::float8 as median from counted
    union all
    select null, null, count(*)::int, count(took)::int, percentile_cont(0.5) within group (order by took) from recent`
  const days = Array.from({ length: DAYS }, (_, n) => ({
    day: addDays(since, n).toISOString().slice(0, 10),
    pending: 0,
    verified: 0,
    rejected: 0,
    expired: 0,
  }))
  const byDay = new Map(days.map((one) => [one.day, one]))
  let totals = { started: 0, verified: 0, median_seconds: null as number | null }
  for (const { day, status, count, verified, median } of rows) {
    if (day === null || status === null) totals = { started: count, verified, median_seconds: median }
    else if (byDay.has(day)) byDay.get(day)![status] = count
  }
  return { days, ...totals }
}
