import type { Queryable } from "#db/client.ts"
import type { Holder } from "#shared/rules/define.ts"
import { unlockedUpTo, unlockOf } from "#shared/rules/holding-period.ts"
import type { ConfigRow } from "../config.ts"
import { type HoldingKey, keyName, type Standings } from "../holder-facts.ts"

/** How many of a wallet's oldest lots are added up at first. Only if these are too few, all are. */
const FIRST = 1000

export type LotsOf = (key: HoldingKey) => Holder["lots"]

/** Units that are taken from a wallet, together with those that are on their way from it already. */
export type Giving = { config: ConfigRow; key: HoldingKey; units: bigint }

/**
 * What the holding periods of tokens let wallets transfer now: at least what is asked for, or else exactly. Loads nothing
 * for a token without one.
 */
export async function loadUnlocked(
  sql: Queryable,
  workspaceId: string,
  giving: readonly Giving[],
  standings: Standings,
  now: Date,
): Promise<LotsOf> {
  const wanted = giving.flatMap(({ config, key, units }) => {
    const period = config.rules.holding_period_days
    if (period === undefined) return []
    const claims = standings.claims({ schemaId: config.required_schema, wallet: key.wallet })
    return [{ key, period, claims, units, upTo: unlockedUpTo(period, claims, now) }]
  })
  if (wanted.length === 0) return () => undefined
  const lotsOf = sql`lots where workspace_id = ${workspaceId} and mint_config = t.config and wallet = t.wallet`
  const unlocked = sql`${lotsOf} and acquired_at <= t.up_to`
  const rows = await sql<{ unlocked: string; next: Date | null }[]>`
    select case when o.units >= t.units or o.count < ${FIRST} then o.units
        else (select sum(units) from ${unlocked}) end::text as unlocked,
      (select acquired_at from ${lotsOf} and acquired_at > t.up_to order by acquired_at limit 1) as next
    from unnest(${wanted.map(({ key }) => key.config)}::text[], ${wanted.map(({ key }) => key.wallet)}::text[],
      ${wanted.map(({ upTo }) => upTo?.toISOString() ?? null)}::timestamptz[],
      ${wanted.map(({ units }) => units.toString())}::numeric[])
      with ordinality as t(config, wallet, up_to, units, place)
    cross join lateral (
      select coalesce(sum(units), 0) as units, count(*) as count
      from (select units from ${unlocked} order by acquired_at, seq limit ${FIRST}) oldest) o
    order by t.place`
  const lots = new Map(
    wanted.map(({ key, period, claims }, i) => {
      const { unlocked, next } = rows[i]!
      const unlock = next && unlockOf(period, claims, next, now)
      return [keyName(key), { unlocked: BigInt(unlocked), next: unlock instanceof Date ? unlock : null }]
    }),
  )
  return (key) => lots.get(keyName(key))
}
