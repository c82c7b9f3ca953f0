import type { Fragment } from "postgres"
import { type Queryable, sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { LastReplay } from "#db/schema/webhooks.ts"
import { inTime } from "#db/seq-at.ts"
import { eventsOf } from "#domain/events"
import { addSeconds, clock } from "#server/lib/time.ts"
import { CLAIM_S } from "./deliver/queue.ts"
import { readEndpoint } from "./endpoint.ts"

/** Deliveries that were given up, of events after one. */
const failedAfter = (workspaceId: string, id: string, after: number) => sql`
  workspace_id = ${workspaceId} and endpoint_id = ${id} and sequence > ${after} and status = 'failed'`

/**
 * The same for those that failed and wait for another attempt. What must be tried within the time of a claim is left out:
 * either it is being sent at this moment, and would be sent twice, or it is sent soon anyway.
 */
export const retriedAfter = (workspaceId: string, id: string, after: number) => sql`
  workspace_id = ${workspaceId} and endpoint_id = ${id} and sequence > ${after} and status = 'pending'
    and attempts > 0 and next_attempt_at > ${addSeconds(clock.now(), CLAIM_S)}`

export async function countFailedAfter(
  workspaceId: string,
  id: string,
  after: number,
): Promise<{ failed: number; retried: number }> {
  const { failed, retried } = only(
    await sql<{ failed: bigint; retried: bigint }[]>`
      select (select count(*) from webhook_deliveries where ${failedAfter(workspaceId, id, after)}) as failed,
        (select count(*) from webhook_deliveries where ${retriedAfter(workspaceId, id, after)}) as retried`,
  )
  return { failed: Number(failed), retried: Number(retried) }
}

/** What a replay of failed events since a time would send. Errors: webhook_endpoint_not_found. */
export async function countFailed(workspaceId: string, id: string, since: Date) {
  await readEndpoint(sql, workspaceId, id)
  return countFailedAfter(workspaceId, id, await placeSince(workspaceId, since))
}

/**
 * How many deliveries one statement reopens. A worker that records an attempt must never wait for a long replay: it would
 * give up, and what it has sent would be sent again.
 */
const BATCH = 2000

type Covering = Pick<LastReplay, "at" | "after" | "upto">

/** What was given up before the replay began. */
const coveredFailed = (workspaceId: string, id: string, { at, upto }: Covering, from: number) => sql`
  ${failedAfter(workspaceId, id, from)} and sequence <= ${upto} and ended_at <= ${new Date(at)}`

/** What waits after an attempt that failed. */
const coveredRetried = (workspaceId: string, id: string, { upto }: Covering, from: number) => sql`
  ${retriedAfter(workspaceId, id, from)} and sequence <= ${upto}`

/** Reopens what was given up before the replay began. Repeated, it finishes what a crash left, and reopens nothing else. */
export const reopenFailed = (workspaceId: string, id: string, of: Covering): Promise<void> =>
  inBatches(of.after, (from) => reopen(sql, workspaceId, id, coveredFailed(workspaceId, id, of, from)))

/** Sends at once what waits after an attempt that failed. */
export const reopenRetried = (workspaceId: string, id: string, of: Covering): Promise<void> =>
  inBatches(of.after, (from) => reopen(sql, workspaceId, id, coveredRetried(workspaceId, id, of, from)))

/**
 * Reopens the first batch of each in the transaction that records the replay, so that a second replay, which waits for it,
 * does not count them again. Returns how many, and the places after which each continues; null where nothing is left.
 */
export async function reopenFirst(
  sql: Queryable,
  workspaceId: string,
  id: string,
  of: Covering,
): Promise<{ events: number; retriedAfter: number | null; failedAfter: number | null }> {
  const retried = await reopen(sql, workspaceId, id, coveredRetried(workspaceId, id, of, of.after))
  const failed = await reopen(sql, workspaceId, id, coveredFailed(workspaceId, id, of, of.after))
  const placeAfter = ({ last, count }: Reopened) => (count < BATCH ? null : last)
  return {
    events: retried.count + failed.count,
    retriedAfter: placeAfter(retried),
    failedAfter: placeAfter(failed),
  }
}

/** Batches by sequence, so that what fails again in the meantime is not reopened a second time. */
async function inBatches(after: number, batch: (from: number) => Promise<{ last: number | null }>): Promise<void> {
  for (let from: number | null = after; from !== null; ) from = (await batch(from)).last
}

/** The last of the reopened deliveries, or null if there is none; and how many. */
type Reopened = { last: number | null; count: number }

/** Reopens the first of these deliveries. */
async function reopen(sql: Queryable, workspaceId: string, id: string, which: Fragment): Promise<Reopened> {
  const { last, count } = only(
    await sql<{ last: bigint | null; count: bigint }[]>`
      with first as (
        select sequence from webhook_deliveries where ${which} order by sequence limit ${BATCH} for update skip locked
      ), reopened as (
        update webhook_deliveries d set status = 'pending', attempts = 0, next_attempt_at = ${clock.now()}, ended_at = null
        from first where d.workspace_id = ${workspaceId} and d.endpoint_id = ${id} and d.sequence = first.sequence
      )
      select max(sequence) as last, count(*) as count from first`,
  )
  return { last: last === null ? null : Number(last), count: Number(count) }
}

/** The sequence number before the first event since a time. */
export async function placeSince(workspaceId: string, since: Date): Promise<number> {
  const inSpan = await inTime(eventsOf(workspaceId), { after: since.toISOString(), before: null })
  const { place } = only(
    await sql<{ place: bigint }[]>`
      select coalesce(
        (select sequence - 1 from events where workspace_id = ${workspaceId} ${inSpan?.() ?? sql``} order by sequence limit 1),
        (select last from event_counters where workspace_id = ${workspaceId}), 0) as place`,
  )
  return Number(place)
}
