import { background as sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

/** Each takes up to 500 rows along. */
const BATCH = 100

/** Drops lists of attestations that were revoked long ago. Who revoked what stays in the audit log. */
export async function dropOldBulkRevocations(now: Date): Promise<void> {
  const old = addDays(now, -keptDays.bulkRevocations)
  const remove = () => sql`
    delete from bulk_revocations where ctid in (
      select ctid from bulk_revocations where ended_at <= ${old} limit ${BATCH})`
  while ((await remove()).count === BATCH);
}
