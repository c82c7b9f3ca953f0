import { background as sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { EventType } from "#shared/event-types.ts"
import { answerWithin_s } from "#shared/webhooks.ts"

/** How long a delivery is reserved for this process before another may try it. */
const CLAIM_S = answerWithin_s + 25

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

/**
 * Leaves to another process the attempts that this process has started and cannot finish. Skips events that a failover
 * has lost.
 */
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
