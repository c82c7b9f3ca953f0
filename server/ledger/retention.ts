import { background as sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

/** Days before the limit that a sweep searches, in case earlier sweeps did not run. Older bytes are already dropped. */
const LOOK_BACK_DAYS = 7
const BATCH = 5000

let hasLookedBack = false

/**
 * Drops the bytes of old transactions that have ended. The first sweep of a process reads all of them, later ones a few
 * days.
 */
export async function dropOldBytes(now: Date): Promise<void> {
  const until = addDays(now, -keptDays.transactionBytes)
  const since = hasLookedBack ? addDays(until, -LOOK_BACK_DAYS) : new Date(0)
  let dropped: number
  do {
    const { count } = await sql`
      update transactions set wire = null where signature in (
        select signature from transactions
        where created_at > ${since} and created_at <= ${until} and wire is not null
          and (finalized_at is not null or status in ('failed', 'expired'))
        limit ${BATCH})`
    dropped = count
  } while (dropped === BATCH)
  hasLookedBack = true
}
