import { sql } from "#db/client.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import type { Count } from "#shared/counts.ts"

const HOURS = 24
const HOUR_MS = 3_600_000
/** The most waiting and failed deliveries of an endpoint to count. */
const MOST = 10_000

type Row = {
  id: string
  accepted_at: Date | null
  refused_at: Date | null
  error: string | null
  waiting: number
  failed: number
}
type Hour = { endpoint_id: string; hour: Date; accepted: number; refused: number }

/**
 * The health of each endpoint, newest first: its attempts in this hour and the 23 before, when it last accepted and
 * refused something, and what waits or was given up. Hours are counted as attempts are made, so this reads at most 24
 * rows of an endpoint, however much was sent.
 */
export async function readHealth(workspaceId: string) {
  const thisHour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS)
  const since = addSeconds(thisHour, (1 - HOURS) * 3600)
  const mine = sql`workspace_id = ${workspaceId} and endpoint_id = e.id`
  // Texts, not parameters: the indexes are partial.
  const states = { waiting: sql`status = 'pending'`, failed: sql`status = 'failed'` }
  const counted = (state: keyof typeof states) => sql`
    (select count(*)::int from (select from webhook_deliveries
      where ${mine} and ${states[state]} limit ${MOST + 1}) counted)`
  const [rows, hours] = await Promise.all([
    sql<Row[]>`
      select e.id, good.accepted_at, bad.refused_at, bad.error, ${counted("waiting")} as waiting,
        ${counted("failed")} as failed
      from webhook_endpoints e
        left join lateral (select accepted_at from webhook_hours
          where ${mine} and accepted > 0 order by hour desc limit 1) good on true
        left join lateral (select refused_at, error from webhook_hours
          where ${mine} and refused > 0 order by hour desc limit 1) bad on true
      where e.workspace_id = ${workspaceId} and e.deleted_at is null order by e.created_at desc, e.id`,
    sql<Hour[]>`
      select endpoint_id, hour, accepted, refused from webhook_hours
      where workspace_id = ${workspaceId} and hour >= ${since}`,
  ])
  const byHour = new Map(hours.map((one) => [`${one.endpoint_id} ${one.hour.getTime()}`, one]))
  return rows.map(({ id, waiting, failed, error, ...row }) => {
    const last = Array.from({ length: HOURS }, (_, n) => {
      const hour = addSeconds(since, n * 3600)
      const known = byHour.get(`${id} ${hour.getTime()}`)
      return { hour: toTimestamp(hour), accepted: known?.accepted ?? 0, refused: known?.refused ?? 0 }
    })
    const accepted = last.reduce((sum, one) => sum + one.accepted, 0)
    const attempts = last.reduce((sum, one) => sum + one.refused, accepted)
    return {
      endpoint_id: id,
      hours: last,
      attempts,
      accepted,
      last_accepted_at: row.accepted_at && toTimestamp(row.accepted_at),
      last_refused_at: row.refused_at && toTimestamp(row.refused_at),
      last_error: error,
      waiting: countOf(waiting),
      failed: countOf(failed),
    }
  })
}

const countOf = (found: number): Count => ({ count: Math.min(found, MOST), atLeast: found > MOST })
