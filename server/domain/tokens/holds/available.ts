import type { Queryable } from "#db/client.ts"
import { amountText } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { AssetAccount } from "../account-states.ts"
import type { ConfigRow } from "../config.ts"
import { type Holding, type HoldingKey, keyName, listed, readHoldings } from "../holder-facts.ts"

/** What records of a balance say about holds. */
export const availability = {
  available: amountText.meta({
    description: "Whole tokens that can be moved now: neither in transit from it nor held",
    example: "649.5",
  }),
  held: amountText.meta({ description: "Whole tokens that holds keep from moving", example: "100" }),
}

type Moded = Pick<ConfigRow, "transfer_mode" | "counted_up_to" | "decimals">

/** What holds bind now. An expired one binds nothing. */
export async function readHeld(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
): Promise<(key: HoldingKey) => bigint> {
  const rows = await sql<(HoldingKey & { held: string })[]>`
    select h.mint_config as config, h.wallet, sum(h.remaining)::text as held
    from holds h join ${listed(sql, keys)} on h.mint_config = t.config and h.wallet = t.wallet
    where h.workspace_id = ${workspaceId} and h.state = 'active'
      and (h.expires_at is null or h.expires_at > ${clock.now()})
    group by h.mint_config, h.wallet`
  const held = new Map(rows.map((row) => [keyName(row), BigInt(row.held)]))
  return (key) => held.get(keyName(key)) ?? 0n
}

export const availabilityOf = (
  { balance, outgoing }: Pick<Holding, "balance" | "outgoing">,
  held: bigint,
  decimals: number,
): { available: string; held: string } => {
  const available = balance - outgoing - held
  return {
    available: fromBaseUnits(available > 0n ? available : 0n, decimals),
    held: fromBaseUnits(held, decimals),
  }
}

/**
 * The same for a balance that was read from the chain; null if it could not be. In agent mode the books decide what can
 * be moved, once they are read back from the chain. In holder mode everything in the main account can be, and the hold
 * account has the rest.
 */
export const availabilityIn = (
  { transfer_mode, counted_up_to, decimals }: Moded,
  about: { account: AssetAccount | null; holding: Pick<Holding, "balance" | "outgoing">; held: bigint },
): { available: string; held: string } => {
  const { account, holding, held } = about
  if (account === null) return availabilityOf(holding, held, decimals)
  const onChain = { balance: account.amount + account.held, outgoing: holding.outgoing }
  if (transfer_mode === "agent") return availabilityOf(counted_up_to === null ? holding : onChain, held, decimals)
  return { available: fromBaseUnits(account.amount, decimals), held: fromBaseUnits(account.held, decimals) }
}

/** The same for several balances. */
export async function readAvailability(
  sql: Queryable,
  workspaceId: string,
  wanted: readonly { key: HoldingKey; config: Moded; account: AssetAccount }[],
): Promise<{ available: string; held: string }[]> {
  const keys = wanted.map(({ key }) => key)
  const [heldOf, holdingOf] = await Promise.all([
    readHeld(sql, workspaceId, keys),
    readHoldings(sql, workspaceId, keys),
  ])
  return wanted.map(({ key, config, account }) =>
    availabilityIn(config, { account, holding: holdingOf(key), held: heldOf(key) }),
  )
}
