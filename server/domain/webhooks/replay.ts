import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import type { LastReplay } from "#db/schema/webhooks.ts"
import { inTime } from "#db/seq-at.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { checkPosition, eventsOf, type Position, sequenceOf } from "#domain/events"
import type { IdempotencyClaim } from "#domain/requests"
import { isId } from "#server/lib/ids.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { CLAIM_S } from "./deliver/queue.ts"
import { readEndpoint } from "./endpoint.ts"
import { changeLocked } from "./endpoints.ts"

/** Which events to send again: one, or all of the endpoint's types after a position or since a time. */
export type Replayed =
  | { event_id: string }
  | Position
  /** The earliest time of an event to send. */
  | { since: Date }
  /** The same, without what the endpoint has accepted. */
  | { failed_since: Date }

type Replay = { workspaceId: string; author: Author; idempotency: IdempotencyClaim | null; id: string; which: Replayed }

/**
 * Sends events again, under the same ids, whether or not they were delivered. A pending delivery is tried immediately.
 * Returns how many events this covers at most, not counting pending ones. A repeated request starts nothing. Errors:
 * webhook_endpoint_not_found, webhook_endpoint_disabled, event_not_found, those of `checkPosition`.
 */
export async function replay({
  workspaceId,
  author,
  idempotency,
  id,
  which,
}: Replay): Promise<{ endpoint_id: string; events: number }> {
  if (idempotency?.begun) {
    await readEndpoint(sql, workspaceId, id)
    return { endpoint_id: id, events: (await lastReplay(workspaceId, id))?.events ?? 0 }
  }
  const since = "since" in which ? which.since : "failed_since" in which ? which.failed_since : null
  const place = since && (await placeOf(workspaceId, since))
  const replayed = await changeLocked({ workspaceId, author, idempotency, id }, async (sql, endpoint) => {
    if (endpoint.disabled_at !== null)
      fail(
        "webhook_endpoint_disabled",
        "id: the endpoint is disabled. Enable it with PATCH /webhook-endpoint/{id}. Events it missed are then delivered.",
      )
    const covered =
      "event_id" in which
        ? await replayOne(which.event_id)
        : "failed_since" in which
          ? await replayFailed(place!)
          : await replayAfter("since" in which ? { after: place! } : which)
    const { events } = covered
    const last: LastReplay = { at: toTimestamp(clock.now()), ...covered }
    await sql`
      update webhook_endpoints set replay = ${sql.json(last)} where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { ...which, events }
    await recordChange(sql, workspaceId, { author, action: "webhook.replayed", subject: id, detail })
    return { endpoint_id: id, events }

    async function replayOne(eventId: string): Promise<Covered> {
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
      return { after: Number(event.sequence) - 1, upto: Number(event.sequence), events: 1 }
    }

    async function replayFailed(after: number): Promise<Covered> {
      const now = clock.now()
      const { events, upto } = only(
        await sql<{ events: bigint; upto: bigint }[]>`
          with failed as (
            update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = ${now}, ended_at = null
            where ${failedAfter(workspaceId, id, after)} returning 1
          ), retried as (
            update webhook_deliveries set attempts = 0, next_attempt_at = ${now}
            where ${retriedAfter(workspaceId, id, after)} returning 1
          )
          select (select count(*) from failed) + (select count(*) from retried) as events,
            coalesce((select last from event_counters where workspace_id = ${workspaceId}), 0) as upto`,
      )
      return { after, upto: Number(upto), events: Number(events) }
    }

    async function replayAfter(position: Position): Promise<Covered> {
      await checkPosition(sql, workspaceId, position)
      const { first, upto } = only(
        await sql<{ first: bigint; upto: bigint }[]>`
          select least(cursor, ${sequenceOf(position)}) as first, cursor as upto
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
      return { after: Number(first), upto: Number(upto), events: Number(events) }
    }
  })
  publish("webhooks")
  return replayed
}

type Covered = Pick<LastReplay, "after" | "upto" | "events">

/** Deliveries that were given up, of events after one. */
const failedAfter = (workspaceId: string, id: string, after: number) => sql`
  workspace_id = ${workspaceId} and endpoint_id = ${id} and sequence > ${after} and status = 'failed'`

/**
 * The same for those that failed and wait for another attempt. What must be tried within the time of a claim is left out:
 * either it is being sent at this moment, and would be sent twice, or it is sent soon anyway.
 */
const retriedAfter = (workspaceId: string, id: string, after: number) => sql`
  workspace_id = ${workspaceId} and endpoint_id = ${id} and sequence > ${after} and status = 'pending'
    and attempts > 0 and next_attempt_at > ${addSeconds(clock.now(), CLAIM_S)}`

/** What a replay of failed events since a time would send. Errors: webhook_endpoint_not_found. */
export async function countFailed(
  workspaceId: string,
  id: string,
  since: Date,
): Promise<{ failed: number; retried: number }> {
  await readEndpoint(sql, workspaceId, id)
  const after = await placeOf(workspaceId, since)
  const { failed, retried } = only(
    await sql<{ failed: bigint; retried: bigint }[]>`
      select (select count(*) from webhook_deliveries where ${failedAfter(workspaceId, id, after)}) as failed,
        (select count(*) from webhook_deliveries where ${retriedAfter(workspaceId, id, after)}) as retried`,
  )
  return { failed: Number(failed), retried: Number(retried) }
}

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
        -- Those of a long replay that have no pending delivery yet
        + (select count(*) from webhook_endpoints w join events e on e.workspace_id = w.workspace_id
            and e.sequence > greatest(w.cursor, ${after}) and e.sequence <= ${upto}
            and (w.types is null or e.type = any(w.types))
          where w.workspace_id = ${workspaceId} and w.id = ${id}) as left,
        (select count(*) from webhook_deliveries where ${retriedAfter(workspaceId, id, after)}
          and sequence <= ${upto}) as retried`,
  )
  return { at, events, left: Math.min(Number(left), events), retried: Number(retried) }
}

async function lastReplay(workspaceId: string, id: string): Promise<LastReplay | null> {
  const [row] = await sql<{ replay: LastReplay | null }[]>`
    select replay from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`
  return row?.replay ?? null
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
