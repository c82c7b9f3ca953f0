import type { Queryable } from "#db/client.ts"

/**
 * Notes on payouts the operations that pay them and that they do not name: those that a restored database has found on
 * chain.
 */
export async function adoptOperations(sql: Queryable, workspaceId: string, distributionId: string): Promise<void> {
  await sql`
    update payouts p set operation_id = o.id, withheld_code = null, withheld_detail = null from operations o
    where p.workspace_id = ${workspaceId} and p.distribution_id = ${distributionId} and p.paid_at is null
      and o.workspace_id = p.workspace_id and o.payload ->> 'payout_id' = p.id and o.status <> 'failed'
      and p.operation_id is distinct from o.id`
}
