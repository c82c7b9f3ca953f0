import type { Queryable } from "#db/client.ts"
import { voidPlans } from "#server/ledger/index.ts"

/**
 * A transaction shows a hold in a place that this database's mode does not keep it in: a restored database has lost a
 * change of mode. All accounts are frozen, balances are read back from the chain, and the hold is carried to where the
 * mode keeps it.
 */
export async function repairMode(
  sql: Queryable,
  workspaceId: string,
  configId: string,
  seen: "account" | "main",
): Promise<void> {
  const changed = await sql`
    update mint_configs set aligned_up_to = '', counted_up_to = '', transfer_mode = 'agent',
      next_transfer_mode = case when transfer_mode = 'holder' then 'holder' end
    where workspace_id = ${workspaceId} and id = ${configId} and next_transfer_mode is null and counted_up_to is null
      and transfer_mode = ${seen === "account" ? "agent" : "holder"}
    returning id`
  if (changed.length > 0) await voidPlans(sql, workspaceId)
}
