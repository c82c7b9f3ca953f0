import type { Queryable } from "#db/client.ts"
import type { Address } from "#shared/address.ts"

/**
 * Takes back what wallets moved themselves, in the transaction that posts a balance which includes it. So postings and
 * movements together equal the balance at every moment.
 */
export const takeBackMovements = (
  sql: Queryable,
  { workspaceId, mintConfig, wallets }: { workspaceId: string; mintConfig: string; wallets: readonly Address[] },
) => sql`
  insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
  select workspace_id, mint_config, wallet, -sum(delta), now() from holder_movements
  where workspace_id = ${workspaceId} and mint_config = ${mintConfig} and wallet = any(${wallets as Address[]})
  group by workspace_id, mint_config, wallet having sum(delta) <> 0`
