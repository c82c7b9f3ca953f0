import { background as sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

const BATCH = 5000

/** Drops events past their retention, and records the last sequence number dropped. */
export async function dropOldEvents(now: Date): Promise<void> {
  for (;;) {
    const rows = await sql`
      with dropped as (
        delete from events where ctid in (
          select ctid from events where occurred_at <= ${addDays(now, -keptDays.events)} limit ${BATCH})
        returning workspace_id, sequence
      ), noted as (
        update event_counters c set dropped = greatest(c.dropped, d.sequence)
        from (select workspace_id, max(sequence) as sequence from dropped group by workspace_id order by workspace_id) d
        where c.workspace_id = d.workspace_id
      )
      select from dropped`
    if (rows.length < BATCH) return
  }
}
