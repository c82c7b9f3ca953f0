import type { Queryable } from "#db/client.ts"
import { voidPlans } from "#server/ledger/index.ts"

/** Where a transaction shows a hold or an open account, and when it landed if that is known. */
type Seen = { place: "account" | "main"; landedAt: Date | null }

/**
 * A transaction shows a hold or an open account that this database's mode does not have: a restored database has lost a
 * change of mode. All accounts are frozen, balances are read back from the chain, and holds are carried to where the mode
 * keeps them. What holders moved after a lost change to holder mode is not recorded.
 */
export async function repairMode(
  sql: Queryable,
  workspaceId: string,
  configId: string,
  { place, landedAt }: Seen,
): Promise<void> {
  if (place === "account")
    await sql`
      insert into holder_periods (workspace_id, mint_config, since, lost_at)
      select c.workspace_id, c.id, t.at, t.at
      from mint_configs c cross join lateral (select coalesce(${landedAt}::timestamptz, c.created_at) as at) t
      where c.workspace_id = ${workspaceId} and c.id = ${configId} and c.transfer_mode = 'agent' and c.next_transfer_mode is null
        and not exists (select from holder_periods p
          where p.workspace_id = c.workspace_id and p.mint_config = c.id and p.until is null)
      on conflict do nothing`
  const changed = await sql`
    update mint_configs set aligned_up_to = '', counted_up_to = '', transfer_mode = 'agent',
      next_transfer_mode = case when transfer_mode = 'holder' then 'holder' end
    where workspace_id = ${workspaceId} and id = ${configId} and next_transfer_mode is null and counted_up_to is null
      and transfer_mode = ${place === "account" ? "agent" : "holder"}
    returning id`
  if (changed.length > 0) await voidPlans(sql, workspaceId)
}
