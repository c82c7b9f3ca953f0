import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { addDays, clock, startOfDay, toTimestamp } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

const usageColumns = columns("key_usage", "key_id, day, requests, errors")

/**
 * The requests of each key of a workspace on each of the last 30 UTC days, the current one last. Keys without a request
 * in this time are left out. Counts arrive about a second after the response.
 */
export async function readKeyUsage({ workspaceId }: Principal) {
  const today = startOfDay(clock.now())
  const days = Array.from({ length: keptDays.requests }, (_, n) => addDays(today, n + 1 - keptDays.requests))
  // All keys in one range of the primary key, which has at most 30 rows for each.
  const rows = await sql<RowOf<typeof usageColumns>[]>`
    select ${sql(usageColumns)} from key_usage where workspace_id = ${workspaceId} and day >= ${days[0]!}`
  const byKey = Map.groupBy(rows, ({ key_id }) => key_id)
  return {
    days: days.map(toTimestamp),
    data: [...byKey].map(([key_id, ofKey]) => {
      const byDay = new Map(ofKey.map((one) => [one.day.getTime(), one]))
      const ofDays = (what: "requests" | "errors") => days.map((day) => byDay.get(day.getTime())?.[what] ?? 0)
      return { key_id, requests: ofDays("requests"), errors: ofDays("errors") }
    }),
  }
}
