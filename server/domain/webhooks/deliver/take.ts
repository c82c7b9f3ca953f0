import { background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"

/** The most events, and the most endpoints, for which one statement writes deliveries. */
const EVENTS = 1000
const ENDPOINTS = 100

/**
 * Writes a delivery for each event that an endpoint must get and does not have yet, and records its progress, in one
 * commit. So a crash leaves none out. A finished delivery is changed only if a replay requests it again.
 */
export async function takeEvents(): Promise<void> {
  for (;;) {
    const behind = await sql`
      with behind as (
        select e.workspace_id, e.id, e.types, e.cursor, least(c.last, greatest(e.cursor, c.dropped) + ${EVENTS}) as upto
        from webhook_endpoints e join event_counters c on c.workspace_id = e.workspace_id
        where e.disabled_at is null and e.deleted_at is null and e.cursor < c.last
        order by e.workspace_id, e.id limit ${ENDPOINTS} for update of e skip locked
      ), moved as (
        update webhook_endpoints e set cursor = b.upto from behind b
        where e.workspace_id = b.workspace_id and e.id = b.id
      ), taken as (
        insert into webhook_deliveries as d (workspace_id, endpoint_id, sequence, status, next_attempt_at)
        select b.workspace_id, b.id, v.sequence, 'pending', ${clock.now()} from behind b
          join events v on v.workspace_id = b.workspace_id and v.sequence > b.cursor and v.sequence <= b.upto
            and (b.types is null or v.type = any(b.types))
        on conflict (workspace_id, endpoint_id, sequence) do update
          set status = 'pending', attempts = 0, next_attempt_at = excluded.next_attempt_at, ended_at = null
          where d.status <> 'pending'
      )
      select from behind`
    if (behind.length === 0) return
  }
}

/**
 * When the next attempt of an enabled endpoint `e` must be made. For an ordered endpoint, only the first pending one
 * counts.
 */
export const nextAttempts = () => sql`
  webhook_endpoints e cross join lateral (
    (select next_attempt_at from webhook_deliveries
      where e.ordered and workspace_id = e.workspace_id and endpoint_id = e.id and status = 'pending'
      order by sequence limit 1)
    union all
    (select next_attempt_at from webhook_deliveries
      where not e.ordered and workspace_id = e.workspace_id and endpoint_id = e.id and status = 'pending'
      order by next_attempt_at limit 1)) next
  where e.disabled_at is null and e.deleted_at is null`
