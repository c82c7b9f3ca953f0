import type { Queryable } from "#db/client.ts"
import type { Holder } from "#shared/rules/define.ts"
import { unlockedUpTo, unlockOf } from "#shared/rules/holding-period.ts"
import type { ConfigRow } from "../config.ts"
import { type HoldingKey, keyName, type Standings } from "../holder-facts.ts"

export type LotsOf = (key: HoldingKey) => Holder["lots"]

/** What the holding periods of tokens let wallets transfer now. Loads nothing for a token without one. */
export async function loadUnlocked(
  sql: Queryable,
  workspaceId: string,
  givers: readonly { config: ConfigRow; key: HoldingKey }[],
  standings: Standings,
  now: Date,
): Promise<LotsOf> {
  const wanted = givers.flatMap(({ config, key }) => {
    const period = config.rules.holding_period_days
    if (period === undefined) return []
    const claims = standings.claims({ schemaId: config.required_schema, wallet: key.wallet })
    return [{ key, period, claims, upTo: unlockedUpTo(period, claims, now) }]
  })
  if (wanted.length === 0) return () => undefined
  const lotsOf = sql`lots where workspace_id = ${workspaceId} and mint_config = t.config and wallet = t.wallet`
  const rows = await sql<{ unlocked: string; next: Date | null }[]>`
    select coalesce((select sum(units) from ${lotsOf} and acquired_at <= t.up_to), 0)::text as unlocked,
      (select acquired_at from ${lotsOf} and acquired_at > t.up_to order by acquired_at limit 1) as next
    from unnest(${wanted.map(({ key }) => key.config)}::text[], ${wanted.map(({ key }) => key.wallet)}::text[],
      ${wanted.map(({ upTo }) => upTo)}::timestamptz[]) with ordinality as t(config, wallet, up_to, place)
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
