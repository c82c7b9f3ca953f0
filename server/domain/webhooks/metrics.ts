import { background as sql } from "#db/client.ts"
import { counter } from "#server/lib/metrics.ts"
import { clock } from "#server/lib/time.ts"
import { nextAttempts } from "./deliver/take.ts"

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
    select max(extract(epoch from ${now}::timestamptz - next.next_attempt_at))::float8 as seconds
    from ${nextAttempts()} and next.next_attempt_at <= ${now}`
  return row?.seconds ?? 0
}
