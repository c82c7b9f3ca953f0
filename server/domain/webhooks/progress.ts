import { type Queryable, sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { LastReplay } from "#db/schema/webhooks.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { readEndpoint } from "./endpoint.ts"
import { retriedAfter } from "./failed.ts"

/**
 * How far the last replay has come: of its events, those that are `left` were neither delivered nor given up yet, and
 * those `retried` failed again. Null without one. Errors: webhook_endpoint_not_found.
 */
export async function readProgress(workspaceId: string, id: string) {
  await readEndpoint(sql, workspaceId, id)
  const last = await lastReplay(workspaceId, id)
  if (!last) return null
  const { at, after, upto, events } = last
  const { left, retried } = only(
    await sql<{ left: bigint; retried: bigint }[]>`
      select (select count(*) from webhook_deliveries where workspace_id = ${workspaceId} and endpoint_id = ${id}
          and sequence > ${after} and sequence <= ${upto} and status = 'pending')
        -- Those that a replay of failed events has not reopened yet
        + (select count(*) from webhook_deliveries where workspace_id = ${workspaceId} and endpoint_id = ${id}
            and sequence > ${after} and sequence <= ${upto} and status = 'failed' and ended_at <= ${new Date(at)})
        -- Those of a long replay that have no pending delivery yet
        + (select count(*) from webhook_endpoints w join events e on e.workspace_id = w.workspace_id
            and e.sequence > greatest(w.cursor, ${after}) and e.sequence <= ${upto}
            and (w.types is null or e.type = any(w.types))
          where w.workspace_id = ${workspaceId} and w.id = ${id}) as left,
        (select count(*) from webhook_deliveries where ${retriedAfter(workspaceId, id, after)}
          and sequence <= ${upto}) as retried`,
  )
  return { at: toTimestamp(new Date(at)), events, left: Math.min(Number(left), events), retried: Number(retried) }
}

export async function lastReplay(workspaceId: string, id: string, from: Queryable = sql): Promise<LastReplay | null> {
  const [row] = await from<{ replay: LastReplay | null }[]>`
    select replay from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`
  return row?.replay ?? null
}
