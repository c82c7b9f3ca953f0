import { sql } from "#db/client.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { reused } from "./reused.ts"

const HOURS = 24
const HOUR_MS = 3_600_000
/** The most error codes to name. */
const CODES = 50

type Hour = { hour: Date; count: number }
type Row = { hour: Date; code: string | null; is_server: boolean; count: number }

/** Requests of this hour and the 23 before by their outcome, and the most frequent error codes. */
export const countErrors = reused(async (workspaceId: string) => {
  const thisHour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS)
  const since = addSeconds(thisHour, (1 - HOURS) * 3600)
  const [all, rows] = await Promise.all([
    sql<Hour[]>`
      select date_bin('1 hour', at, 'epoch') as hour, count(*)::int as count
      from api_requests where workspace_id = ${workspaceId} and at >= ${since} group by 1`,
    // The condition of a partial index, exactly.
    sql<Row[]>`
      select date_bin('1 hour', at, 'epoch') as hour, error_code as code, status >= 500 as is_server, count(*)::int as count
      from api_requests where workspace_id = ${workspaceId} and status >= 400 and at >= ${since} group by 1, 2, 3`,
  ])
  const hours = Array.from({ length: HOURS }, (_, n) => ({
    hour: toTimestamp(addSeconds(since, n * 3600)),
    successes: 0,
    client_errors: 0,
    server_errors: 0,
  }))
  const byHour = new Map(hours.map((one) => [one.hour, one]))
  const byCode = new Map<string, number>()
  for (const { hour, code, is_server, count } of rows) {
    const counted = byHour.get(toTimestamp(hour))
    if (counted) counted[is_server ? "server_errors" : "client_errors"] += count
    if (code !== null) byCode.set(code, (byCode.get(code) ?? 0) + count)
  }
  for (const { hour, count } of all) {
    const counted = byHour.get(toTimestamp(hour))
    // An error that arrived between the two reads is counted in the second only.
    if (counted) counted.successes = Math.max(0, count - counted.client_errors - counted.server_errors)
  }
  const codes = [...byCode].sort(([a, one], [b, other]) => other - one || a.localeCompare(b)).slice(0, CODES)
  return { hours, codes: codes.map(([code, count]) => ({ code, count })) }
})
