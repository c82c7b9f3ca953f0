import type { Queryable } from "#db/client.ts"
import type { Address } from "#shared/address.ts"

/**
 * Takes back what wallets moved themselves, in the transaction that posts a balance which includes it, and as of the same
 * time. So postings and movements together equal the balance at every moment. `isLast`: also that of wallets without a holding.
 * Their balance is 0, because the others add up to the supply. Returns what each had moved, where that is not 0.
 */
export const takeBackMovements = (
  sql: Queryable,
  {
    workspaceId,
    mintConfig,
    wallets,
    isLast,
  }: { workspaceId: string; mintConfig: string; wallets: readonly Address[]; isLast: boolean },
) => sql<{ wallet: Address; moved: string }[]>`
  insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
  select ${workspaceId}, ${mintConfig}, m.wallet, -m.moved, coalesce((
    select p.landed_at from postings p
    where p.workspace_id = ${workspaceId} and p.mint_config = ${mintConfig} and p.wallet = m.wallet and p.landed_at >= now()
    order by p.seq desc limit 1), statement_timestamp())
  from (
    select wallet, sum(delta) as moved from holder_movements h
    where workspace_id = ${workspaceId} and mint_config = ${mintConfig} and (wallet = any(${wallets as Address[]})
      or (${isLast} and not exists (select from holdings o
        where o.workspace_id = ${workspaceId} and o.mint_config = ${mintConfig} and o.wallet = h.wallet)))
    group by wallet having sum(delta) <> 0) m
  returning wallet, (-delta)::text as moved`
