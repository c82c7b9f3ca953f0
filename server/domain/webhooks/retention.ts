import { deleteRows } from "#db/batches.ts"
import { background as sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

/** Drops attempts past their retention, deliveries of events that were dropped, and the rest of deleted endpoints. */
export async function dropOldDeliveries(now: Date): Promise<void> {
  const old = addDays(now, -keptDays.webhookAttempts)
  await deleteRows("webhook_attempts", () => sql`select ctid from webhook_attempts where at <= ${old}`)
  await deleteRows(
    "webhook_attempts",
    () => sql`
      select a.ctid from webhook_endpoints e join webhook_attempts a
        on a.workspace_id = e.workspace_id and a.endpoint_id = e.id
      where e.deleted_at is not null`,
  )
  await deleteRows(
    "webhook_hours",
    () => sql`
      select h.ctid from webhook_endpoints e join webhook_hours h
        on h.workspace_id = e.workspace_id and h.endpoint_id = e.id and (e.deleted_at is not null or h.hour <= ${old})`,
  )
  await deleteRows(
    "webhook_deliveries",
    () => sql`
      select d.ctid from webhook_endpoints e
        left join event_counters c on c.workspace_id = e.workspace_id
        join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
          and (e.deleted_at is not null or d.sequence <= c.dropped)`,
  )
  await sql`
    delete from webhook_endpoints e where e.deleted_at is not null
      and not exists (select from webhook_deliveries d where d.workspace_id = e.workspace_id and d.endpoint_id = e.id)
      and not exists (select from webhook_hours h where h.workspace_id = e.workspace_id and h.endpoint_id = e.id)`
}
