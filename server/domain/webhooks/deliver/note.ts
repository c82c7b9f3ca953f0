import { type Queryable, background as sql } from "#db/client.ts"
import { type Change, recordChange, vouch } from "#domain/audit-log"
import { addDays, addSeconds, clock } from "#server/lib/time.ts"
import { attemptPauses_s, type DisabledReason, disabledAfterDays } from "#shared/webhooks.ts"
import { attemptsMade } from "../metrics.ts"
import type { Outcome } from "./post.ts"
import type { Claimed } from "./queue.ts"

/** `signature` is the header that was sent. */
export type Attempted = { delivery: Claimed; outcome: Outcome; signature: string }

/** An attempt that took this long is slow. */
const SLOW_MS = 2000
/** Pauses vary by up to a tenth, so that deliveries that failed together are not retried together. */
const JITTER = 0.1

export const isTaken = ({ outcome }: Attempted): boolean => outcome.error === null

/** When to try again, or null if all attempts were made. */
export function nextAttempt(
  { delivery, outcome }: Pick<Attempted, "delivery" | "outcome">,
  now: Date,
  random = Math.random(),
): Date | null {
  const pause = attemptPauses_s[delivery.attempts]
  if (pause === undefined) return null
  const shifted = pause * (1 + JITTER * (2 * random - 1))
  return addSeconds(now, Math.max(shifted, outcome.retryAfter_s ?? 0))
}

/**
 * Records attempts and their consequences for deliveries and the endpoint. If another process has started a later
 * attempt in the meantime, that one decides. If a failover has lost the event, its number may now be another event's,
 * so nothing is recorded for it.
 */
export const note = (workspaceId: string, endpointId: string, attempted: readonly Attempted[]): Promise<void> =>
  sql.begin(async (sql) => {
    const now = clock.now()
    const rows = attempted.map((one) => {
      const { delivery, outcome } = one
      const next = isTaken(one) ? null : nextAttempt(one, now)
      return {
        sequence: String(delivery.sequence),
        generation: delivery.generation,
        attempts: delivery.attempts,
        status: isTaken(one) ? ("delivered" as const) : next === null ? ("failed" as const) : ("pending" as const),
        next_attempt_at: next,
        at: outcome.at,
        latency_ms: outcome.latency_ms,
        status_code: outcome.statusCode,
        error: outcome.error,
        response: outcome.response,
        signature: one.signature,
      }
    })
    // The endpoint's row is locked first, like everywhere that locks both.
    const [endpoint] = await sql<{ failing_since: Date | null; disabled_at: Date | null }[]>`
      select failing_since, disabled_at from webhook_endpoints
      where workspace_id = ${workspaceId} and id = ${endpointId} for no key update`
    for (const { status } of rows) attemptsMade.of(status === "pending" ? "retried" : status).add()
    // Deleted, with everything about it.
    if (!endpoint) return
    await sql`
      with noted as (
        select n.* from jsonb_to_recordset(${sql.json(rows as never)}) as n(sequence bigint, generation text, attempts smallint,
          status text, next_attempt_at timestamptz, at timestamptz, latency_ms integer, status_code smallint, error text,
          response text, signature text)
        join events e on e.workspace_id = ${workspaceId} and e.sequence = n.sequence and e.generation = n.generation
      ), changed as (
        update webhook_deliveries d set status = n.status, next_attempt_at = n.next_attempt_at,
          ended_at = case when n.status = 'pending' then null else ${now}::timestamptz end
        from noted n
        where d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId} and d.sequence = n.sequence
          and d.status = 'pending' and d.attempts = n.attempts
      ), counted as (
        insert into webhook_hours as h (workspace_id, endpoint_id, hour, accepted, refused, accepted_at, refused_at, error)
        select ${workspaceId}, ${endpointId}, date_trunc('hour', at, 'UTC'), count(*) filter (where error is null),
          count(error), max(at) filter (where error is null), max(at) filter (where error is not null),
          (array_agg(error order by at desc) filter (where error is not null))[1]
        from noted group by 3
        on conflict (workspace_id, endpoint_id, hour) do update
          set accepted = h.accepted + excluded.accepted, refused = h.refused + excluded.refused,
            accepted_at = greatest(h.accepted_at, excluded.accepted_at),
            refused_at = greatest(h.refused_at, excluded.refused_at), error = coalesce(excluded.error, h.error)
      )
      insert into webhook_attempts
        (workspace_id, endpoint_id, sequence, at, latency_ms, status_code, error, response, signature)
      select ${workspaceId}, ${endpointId}, sequence, at, latency_ms, status_code, error, response, signature from noted`
    const isSlow = attempted.some(({ outcome }) => outcome.latency_ms >= SLOW_MS)
    const failingSince = attempted.some(isTaken) ? null : (endpoint.failing_since ?? now)
    await sql`
      update webhook_endpoints set is_slow = ${isSlow}, failing_since = ${failingSince}
      where workspace_id = ${workspaceId} and id = ${endpointId}
        and (is_slow, failing_since) is distinct from (${isSlow}, ${failingSince}::timestamptz)`
    if (endpoint.disabled_at !== null) return
    if (attempted.some(({ outcome }) => outcome.statusCode === 410)) await disable(sql, "gone")
    else if (failingSince !== null && failingSince <= addDays(now, -disabledAfterDays)) await disable(sql, "failing")

    async function disable(sql: Queryable, reason: DisabledReason): Promise<void> {
      await sql`
        update webhook_endpoints set disabled_at = ${now}, disabled_reason = ${reason}
        where workspace_id = ${workspaceId} and id = ${endpointId}`
      const change: Change = { author: vouch, action: "webhook.disabled", subject: endpointId, detail: { reason } }
      await recordChange(sql, workspaceId, change)
    }
  })
