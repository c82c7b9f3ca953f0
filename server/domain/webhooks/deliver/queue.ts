import { randomUUID } from "node:crypto"
import { background as sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { EventType } from "#shared/event-types.ts"
import { answerWithin_s } from "#shared/webhooks.ts"

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

/** When an enabled endpoint `e` needs its next attempt. If it is ordered, only its first pending delivery counts. */
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

/** After this, another worker may serve the endpoint. A run takes at most 10 s, plus 15 s for its last attempts. */
const LEASE_SECONDS = 40
/** The most endpoints of one workspace that all workers together serve at a time: fast ones, and slow ones. */
const PER_WORKSPACE = 8

/** An endpoint that only one worker sends to. */
export type Lease = { workspace_id: string; id: string; is_slow: boolean; lease_token: string }

/**
 * Leases endpoints with a delivery to try now, at most `fast` and `slow` of each kind. The one that has gone longest
 * without a lease comes first. Two workers that ask at the same moment choose the same endpoints, and each endpoint
 * goes to one of them.
 */
export async function leaseDue({ fast, slow }: { fast: number; slow: number }): Promise<Lease[]> {
  const rows = await sql<Lease[]>`
    with due as (
      select e.workspace_id, e.id, e.is_slow, e.leased_until, row_number() over (
        partition by e.workspace_id, e.is_slow order by e.leased_until nulls first, e.id) as place
      from ${nextAttempts()} and next.next_attempt_at <= ${clock.now()}
        and (e.leased_until is null or e.leased_until <= clock_timestamp())
    ), busy as (
      select workspace_id, is_slow, count(*) as leases from webhook_endpoints
      where leased_until > clock_timestamp() group by workspace_id, is_slow
    ), chosen as (
      select workspace_id, id, is_slow, row_number() over (
        partition by is_slow order by leased_until nulls first, workspace_id, id) as place
      from due left join busy using (workspace_id, is_slow)
      where place <= ${PER_WORKSPACE} - coalesce(leases, 0)
    ), free as (
      select e.workspace_id, e.id from chosen c join webhook_endpoints e using (workspace_id, id)
      where c.place <= case when c.is_slow then ${slow}::int else ${fast}::int end
        and (e.leased_until is null or e.leased_until <= clock_timestamp())
      for no key update of e skip locked
    )
    update webhook_endpoints e set lease_token = ${randomUUID()},
      leased_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from free where e.workspace_id = free.workspace_id and e.id = free.id
    returning e.workspace_id, e.id, e.is_slow, e.lease_token`
  return [...rows]
}

/** Ends a lease, unless another worker now has the endpoint. */
export async function release({ workspace_id, id, lease_token }: Lease): Promise<void> {
  await sql`
    update webhook_endpoints set leased_until = clock_timestamp()
    where workspace_id = ${workspace_id} and id = ${id} and lease_token = ${lease_token}
      and leased_until > clock_timestamp()`
}

/** How long a delivery is reserved for this process before another may try it. */
export const CLAIM_S = answerWithin_s + 25

const targetColumns = columns("webhook_endpoints", "id, url, ordered, secret, previous_secret, previous_until")
export type Target = RowOf<typeof targetColumns>

/** The endpoint in its current state; null if nothing may be sent to it. */
export async function readTarget(workspaceId: string, id: string): Promise<Target | null> {
  const [row] = await sql<Target[]>`
    select ${sql(targetColumns)} from webhook_endpoints
    where workspace_id = ${workspaceId} and id = ${id} and disabled_at is null and deleted_at is null`
  return row ?? null
}

/** A delivery to try now. `attempts` counts this attempt: a process that has started a later one has taken it over. */
export type Claimed = {
  sequence: bigint
  attempts: number
  event_id: string
  generation: string
  type: EventType
  data: Record<string, unknown>
  occurred_at: Date
}

/**
 * Takes deliveries that must be tried now, oldest first. It schedules the next attempt first, so a crash only delays
 * it. For ordered endpoints, it takes the first pending ones, up to one that must still wait.
 */
export async function claim(workspaceId: string, { id, ordered }: Target, most: number): Promise<Claimed[]> {
  const now = clock.now()
  const mine = sql`workspace_id = ${workspaceId} and endpoint_id = ${id} and status = 'pending'`
  const due = ordered
    ? sql`
        first as (
          select sequence, next_attempt_at from webhook_deliveries where ${mine} order by sequence limit ${most} for update
        ), due as (
          select sequence from (
            select sequence, bool_and(next_attempt_at <= ${now}) over (order by sequence) as is_due from first) known
          where is_due)`
    : sql`
        due as (
          select sequence from webhook_deliveries where ${mine} and next_attempt_at <= ${now}
          order by next_attempt_at, sequence limit ${most} for update skip locked)`
  const rows = await sql<Claimed[]>`
    with ${due}
    update webhook_deliveries d set attempts = d.attempts + 1, next_attempt_at = ${addSeconds(now, CLAIM_S)}
    from due, events e
    where d.workspace_id = ${workspaceId} and d.endpoint_id = ${id} and d.sequence = due.sequence
      and e.workspace_id = d.workspace_id and e.sequence = d.sequence
    returning d.sequence, d.attempts, e.id as event_id, e.generation, e.type, e.data, e.occurred_at`
  return [...rows].sort((one, other) => Number(one.sequence - other.sequence))
}

/** Leaves attempts that this process cannot finish to another one. Skips events that a failover has lost. */
export async function giveBack(workspaceId: string, endpointId: string, claimed: readonly Claimed[]): Promise<void> {
  await sql`
    update webhook_deliveries d set attempts = d.attempts - 1, next_attempt_at = ${clock.now()}
    from unnest(${claimed.map(({ sequence }) => String(sequence))}::bigint[],
      ${claimed.map(({ generation }) => generation)}::text[],
      ${claimed.map(({ attempts }) => attempts)}::integer[]) as c(sequence, generation, attempts)
    join events e on e.workspace_id = ${workspaceId} and e.sequence = c.sequence and e.generation = c.generation
    where d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId} and d.sequence = c.sequence
      and d.status = 'pending' and d.attempts = c.attempts`
}
