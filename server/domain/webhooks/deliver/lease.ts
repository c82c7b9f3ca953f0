import { randomUUID } from "node:crypto"
import { background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { nextAttempts } from "./take.ts"

/**
 * After this, another worker may serve the endpoint. A run takes at most 10 s, plus 15 s for attempts that are in
 * progress at its end.
 */
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
