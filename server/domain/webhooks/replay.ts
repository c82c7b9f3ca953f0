import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { inTime } from "#db/seq-at.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { checkPosition, eventsOf, type Position, sequenceOf } from "#domain/events"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { changeLocked } from "./endpoints.ts"

/** Which events to send again: one, or all of the endpoint's types after a position or since a time. */
export type Replayed =
  | { event_id: string }
  | Position
  /** The earliest time of an event to send. */
  | { since: Date }

/**
 * Sends events again, under the same ids, whether or not they were delivered. A pending delivery is tried immediately.
 * Returns how many events this covers at most, not counting pending ones. Errors: webhook_endpoint_not_found,
 * webhook_endpoint_disabled, event_not_found, those of `checkPosition`.
 */
export async function replay({
  workspaceId,
  author,
  id,
  which,
}: {
  workspaceId: string
  author: Author
  id: string
  which: Replayed
}): Promise<{ endpoint_id: string; events: number }> {
  const from = "since" in which ? { after: await placeOf(workspaceId, which.since) } : which
  const replayed = await changeLocked({ workspaceId, author, idempotency: null, id }, async (sql, endpoint) => {
    if (endpoint.disabled_at !== null)
      fail(
        "webhook_endpoint_disabled",
        "id: the endpoint is disabled. Enable it with PATCH /webhook-endpoint/{id}. Events it missed are then delivered.",
      )
    const events = "event_id" in from ? await replayOne(from.event_id) : await replayAfter(from)
    const detail = { ...which, events }
    await recordChange(sql, workspaceId, { author, action: "webhook.replayed", subject: id, detail })
    return { endpoint_id: id, events }

    async function replayOne(eventId: string): Promise<number> {
      const [event] = isId("evt", eventId)
        ? await sql<{ sequence: bigint }[]>`
            select sequence from events where workspace_id = ${workspaceId} and id = ${eventId}`
        : []
      if (!event)
        return fail("event_not_found", "event_id: this workspace has no event with this id, or no longer keeps it.")
      await sql`
        insert into webhook_deliveries (workspace_id, endpoint_id, sequence, status, next_attempt_at)
        values (${workspaceId}, ${id}, ${event.sequence}, 'pending', ${clock.now()})
        on conflict (workspace_id, endpoint_id, sequence) do update
          set status = 'pending', attempts = 0, next_attempt_at = excluded.next_attempt_at, ended_at = null`
      return 1
    }

    async function replayAfter(position: Position): Promise<number> {
      await checkPosition(sql, workspaceId, position)
      const { first } = only(
        await sql<{ first: bigint }[]>`
          select least(cursor, ${sequenceOf(position)}) as first
          from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`,
      )
      // Pending deliveries are tried at once; finished ones are reopened by `takeEvents`.
      await sql`
        update webhook_deliveries set next_attempt_at = ${clock.now()}, attempts = 0
        where workspace_id = ${workspaceId} and endpoint_id = ${id} and status = 'pending' and sequence > ${first}`
      const { events } = only(
        await sql<{ events: bigint }[]>`
          select count(*) as events from webhook_endpoints w join events e on e.workspace_id = w.workspace_id
            and e.sequence > ${first} and e.sequence <= w.cursor and (w.types is null or e.type = any(w.types))
          where w.workspace_id = ${workspaceId} and w.id = ${id}`,
      )
      await sql`
        update webhook_endpoints set cursor = ${first} where workspace_id = ${workspaceId} and id = ${id}`
      return Number(events)
    }
  })
  publish("webhooks")
  return replayed
}

/** The sequence number before the first event since a time. */
async function placeOf(workspaceId: string, since: Date): Promise<number> {
  const inSpan = await inTime(eventsOf(workspaceId), { after: since.toISOString(), before: null })
  const { place } = only(
    await sql<{ place: bigint }[]>`
      select coalesce(
        (select sequence - 1 from events where workspace_id = ${workspaceId} ${inSpan?.() ?? sql``} order by sequence limit 1),
        (select last from event_counters where workspace_id = ${workspaceId}), 0) as place`,
  )
  return Number(place)
}
