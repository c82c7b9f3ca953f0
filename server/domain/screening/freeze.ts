import type { Queryable } from "#db/client.ts"
import { enqueueReconcile } from "#domain/token-accounts"
import { voidPlans } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"

/**
 * Freezes or opens a wallet's accounts after a match or its clearing. Whether an account is frozen or opened is decided
 * when its operation runs. In agent mode accounts stay frozen anyway. Call it in the transaction of the change.
 */
export async function followScreening(sql: Queryable, workspaceId: string, wallet: Address): Promise<void> {
  const rows = await sql<{ id: string }[]>`
    select c.id from mint_configs c join holdings h
      on h.workspace_id = c.workspace_id and h.mint_config = c.id and h.wallet = ${wallet}
    where c.workspace_id = ${workspaceId} and c.transfer_mode = 'holder'`
  for (const { id } of rows) await enqueueReconcile(sql, workspaceId, id, wallet)
  await voidPlans(sql, workspaceId)
}
