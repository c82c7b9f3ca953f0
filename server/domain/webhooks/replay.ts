import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import type { LastReplay } from "#db/schema/webhooks.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { checkPosition, type Position, sequenceOf } from "#domain/events"
import type { IdempotencyClaim } from "#domain/requests"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { readEndpoint } from "./endpoint.ts"
import { changeLocked } from "./endpoints.ts"
import { countFailedAfter, placeSince, reopenFailed, reopenFirst, reopenRetried } from "./failed.ts"
import { lastReplay } from "./progress.ts"

/** Which events to send again: one, or all of the endpoint's types after a position or since a time. */
type Replayed =
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
    const last = await lastReplay(workspaceId, id)
    if (last && "failed_since" in which) await reopenFailed(workspaceId, id, last)
    return { endpoint_id: id, events: last?.events ?? 0 }
  }
  const since = "since" in which ? which.since : "failed_since" in which ? which.failed_since : null
  const place = since && (await placeSince(workspaceId, since))
  // Counted before the lock, which workers that record attempts wait for.
  const before = "failed_since" in which ? await lastReplay(workspaceId, id) : null
  const failed = "failed_since" in which ? await coverFailed(workspaceId, id, place!) : null
  let rest: Awaited<ReturnType<typeof reopenFirst>> | undefined
  const replayed = await changeLocked({ workspaceId, author, idempotency, id }, async (sql, endpoint) => {
    if (endpoint.disabled_at !== null)
      fail(
        "webhook_endpoint_disabled",
        "id: the endpoint is disabled. Enable it with PATCH /webhook-endpoint/{id}. Events it missed are then delivered.",
      )
    const at = clock.now().toISOString()
    const covered =
      "event_id" in which
        ? await replayOne(which.event_id)
        : "failed_since" in which
          ? await reopenCounted(failed!)
          : await replayAfter("since" in which ? { after: place! } : which)
    const { events } = covered
    const last: LastReplay = { at, ...covered }
    await sql`
      update webhook_endpoints set replay = ${sql.json(last)} where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { ...which, events }
    await recordChange(sql, workspaceId, { author, action: "webhook.replayed", subject: id, detail })
    return { endpoint_id: id, events, last }

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

    async function reopenCounted(counted: Covered): Promise<Covered> {
      const first = await reopenFirst(sql, workspaceId, id, { at, ...counted })
      rest = first
      const isAll = first.retriedAfter === null && first.failedAfter === null
      // The rest was counted before, unless another replay has taken some of it since.
      const isStale = (await lastReplay(workspaceId, id, sql))?.at !== before?.at
      return { ...counted, events: isAll || isStale ? first.events : counted.events }
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
  const { last, ...answer } = replayed
  // From where the first batches ended, so that what has failed again since is not sent at once a second time.
  if (rest?.retriedAfter != null) await reopenRetried(workspaceId, id, { ...last, after: rest.retriedAfter })
  if (rest?.failedAfter != null) await reopenFailed(workspaceId, id, { ...last, after: rest.failedAfter })
  publish("webhooks")
  return answer
}

type Covered = Pick<LastReplay, "after" | "upto" | "events">

/** What a replay of failed events after one covers, up to the latest. They are reopened in batches once it is recorded. */
async function coverFailed(workspaceId: string, id: string, after: number): Promise<Covered> {
  const { failed, retried } = await countFailedAfter(workspaceId, id, after)
  const { upto } = only(
    await sql<{ upto: bigint }[]>`
      select coalesce((select last from event_counters where workspace_id = ${workspaceId}), 0) as upto`,
  )
  return { after, upto: Number(upto), events: failed + retried }
}
