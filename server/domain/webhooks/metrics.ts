import { background as sql } from "#db/client.ts"
import { counter } from "#server/lib/metrics.ts"
import { clock } from "#server/lib/time.ts"
import { nextAttempts } from "./deliver/queue.ts"

const outcomes = ["delivered", "retried", "failed"] as const

/** The outcomes of this process's attempts. */
export const attemptsMade = counter({
  name: "vouch_webhook_attempts_total",
  help: "Webhook delivery attempts of this process: delivered, to be retried, or failed permanently",
  labels: ["outcome"],
})
for (const outcome of outcomes) attemptsMade.of(outcome)

/** Seconds that the most overdue delivery has waited for its attempt; 0 if there is none. */
export async function overdueSeconds(): Promise<number> {
  const now = clock.now()
  const [row] = await sql<{ seconds: number | null }[]>`
    select max(extract(epoch from ${now}::timestamptz - next.next_attempt_at))::float8 as seconds
    from ${nextAttempts()} and next.next_attempt_at <= ${now}`
  return row?.seconds ?? 0
}
