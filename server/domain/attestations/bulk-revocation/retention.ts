import { background as sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

/** Deleting a list also deletes up to 500 rows of its entries. */
const BATCH = 100

/** Deletes lists that ended long ago. The audit log keeps who revoked what. */
export async function dropOldBulkRevocations(now: Date): Promise<void> {
  const old = addDays(now, -keptDays.bulkRevocations)
  const remove = () => sql`
    delete from bulk_revocations where ctid in (
      select ctid from bulk_revocations where ended_at <= ${old} limit ${BATCH})`
  while ((await remove()).count === BATCH);
}
