import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { periodEnd, secondsLeftIn } from "./period.ts"

/** Refuses a session beyond the month's quota. */
export function quotaExceeded(included: number | null): never {
  const now = clock.now()
  return fail(
    "quota_exceeded",
    `All ${included} attestations of this month are used. The next period begins at ${periodEnd(now)}.`,
    { retryAfterSeconds: secondsLeftIn(now) },
  )
}
