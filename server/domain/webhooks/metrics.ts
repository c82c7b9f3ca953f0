import { background as sql } from "#db/client.ts"
import { counter } from "#server/lib/metrics.ts"
import { clock } from "#server/lib/time.ts"

const outcomes = ["delivered", "retried", "failed"] as const

/** What this process's attempts have led to. */
export const attemptsMade = counter({
  name: "vouch_webhook_attempts_total",
  help: "Attempts to deliver a webhook by this process: delivered, retried later, or failed as the last one",
  labels: ["outcome"],
})
for (const outcome of outcomes) attemptsMade.of(outcome)

/** For how many seconds the delivery that is longest due has waited for its attempt; 0 where none is due. */
export async function overdueSeconds(): Promise<number> {
  const now = clock.now()
  const [row] = await sql<{ seconds: number | null }[]>`
    select max(extract(epoch from ${now}::timestamptz - d.next_attempt_at))::float8 as seconds
    from webhook_endpoints e cross join lateral (
      select next_attempt_at from webhook_deliveries
      where workspace_id = e.workspace_id and endpoint_id = e.id and status = 'pending'
        and (not e.ordered or sequence = (select min(sequence) from webhook_deliveries
          where workspace_id = e.workspace_id and endpoint_id = e.id and status = 'pending'))
      order by next_attempt_at limit 1) d
    where e.disabled_at is null and e.deleted_at is null and d.next_attempt_at <= ${now}`
  return row?.seconds ?? 0
}
