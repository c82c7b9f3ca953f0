import type { Queryable } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import type { Address } from "#shared/address.ts"

type Counted = {
  workspaceId: string
  mintConfig: string
  /** What each wallet's balance has changed by since it was last counted, in base units. */
  gained: ReadonlyMap<Address, bigint>
  /** Also takes back what wallets without a holding moved. Their balance is 0, because the others add up to the supply. */
  isLast: boolean
}

/**
 * Takes back what wallets moved themselves, in the transaction that posts a balance which includes it, and as of the same
 * time. So postings and movements together equal the balance at every moment. If a wallet has not gained what it moved, nodes
 * had left out or changed something at a time that nothing shows any more: the register is incomplete from the moment on
 * from which holders could move the token.
 */
export async function takeBackMovements(
  sql: Queryable,
  { workspaceId, mintConfig, gained, isLast }: Counted,
): Promise<void> {
  const rows = await sql<{ wallet: Address; moved: string }[]>`
    insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
    select ${workspaceId}, ${mintConfig}, m.wallet, -m.moved, coalesce((
      select p.landed_at from postings p
      where p.workspace_id = ${workspaceId} and p.mint_config = ${mintConfig} and p.wallet = m.wallet and p.landed_at >= now()
      order by p.seq desc limit 1), statement_timestamp())
    from (
      select wallet, sum(delta) as moved from holder_movements h
      where workspace_id = ${workspaceId} and mint_config = ${mintConfig} and (wallet = any(${[...gained.keys()]})
        or (${isLast} and not exists (select from holdings o
          where o.workspace_id = ${workspaceId} and o.mint_config = ${mintConfig} and o.wallet = h.wallet)))
      group by wallet having sum(delta) <> 0) m
    returning wallet, (-delta)::text as moved`
  const missed = new Map(gained)
  for (const { wallet, moved } of rows) missed.set(wallet, (missed.get(wallet) ?? 0n) - BigInt(moved))
  const examples = [...missed].flatMap(([wallet, units]) => (units === 0n ? [] : { wallet, units: String(units) }))
  if (examples.length === 0) return
  const lost = await sql`
    update holder_periods set lost_at = since, lost_slot = null
    where workspace_id = ${workspaceId} and mint_config = ${mintConfig} and until is null and lost_at is null returning 1`
  if (lost.length > 0)
    logger.error({ workspaceId, mintConfig, examples: examples.slice(0, 5) }, "nodes had left out what holders moved")
}
