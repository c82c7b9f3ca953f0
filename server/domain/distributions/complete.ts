import type { Queryable } from "#db/client.ts"
import { recordChange, vouch } from "#domain/audit-log"
import { clock } from "#server/lib/time.ts"

/**
 * Completes a distribution of which nothing is left to begin or to end. Its row is locked. What is withheld or failed stays
 * owed.
 */
export async function completeIfDone(sql: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const completed = await sql`
    update distributions d set state = 'completed', ended_at = ${clock.now()}
    where d.workspace_id = ${workspaceId} and d.id = ${id} and d.state = 'paying'
      and not exists (select from payouts p
        where p.workspace_id = d.workspace_id and p.distribution_id = d.id
          and p.operation_id is null and p.withheld_code is null and p.paid_at is null)
      and not exists (select from operations o join payouts p on p.workspace_id = o.workspace_id
          and p.id = o.payload ->> 'payout_id'
        where o.workspace_id = d.workspace_id and o.status in ('queued', 'submitted') and p.distribution_id = d.id)
    returning d.id`
  if (completed.length === 0) return false
  await recordChange(sql, workspaceId, { author: vouch, action: "distribution.completed", subject: id })
  return true
}
