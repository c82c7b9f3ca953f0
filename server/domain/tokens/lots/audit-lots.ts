import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { type Audited, differs } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"

type Row = { mint_config: string; wallet: Address; balance: string; lotted: string; summed: string }

/** A wallet's lots must add up to its balance. In holder mode that can be negative, and then there are none. */
export async function auditLots(audited: Audited): Promise<void> {
  const { workspaceId } = audited
  const rows = sql<Row[]>`
    with summed as (
      select mint_config, wallet, sum(units) as units from lots where workspace_id = ${workspaceId}
      group by mint_config, wallet
    )
    select mint_config, wallet, coalesce(k.balance, 0)::text as balance, coalesce(k.lotted, 0)::text as lotted,
      coalesce(s.units, 0)::text as summed
    from (select mint_config, wallet, balance, lotted from holdings where workspace_id = ${workspaceId}) k
      full join summed s using (mint_config, wallet)
    where coalesce(s.units, 0) <> greatest(coalesce(k.balance, 0), 0) or coalesce(s.units, 0) <> coalesce(k.lotted, 0)`
  await forEachBatch(rows, 1000, (batch) => {
    for (const { mint_config, wallet, balance, lotted, summed } of batch) {
      const recorded = `${wallet} is recorded with ${balance} base units of ${mint_config}, ${lotted} of them in lots`
      differs(audited, "token_lots", `${recorded}, but its lots sum to ${summed}`)
    }
  })
}
