import type { Address } from "#shared/address.ts"
import { type Between, withEnds } from "#shared/movements.ts"
import type { Holder, TransferContext } from "#shared/rules/define.ts"
import { readRules } from "#shared/rules/fields.ts"
import type { ConfigRow } from "./config.ts"
import type { Holding, HoldingKey, Standings, WalletSchema } from "./holder-facts.ts"

/** What the rules need to know about a configuration. */
export const rulesOf = (row: ConfigRow): Pick<TransferContext, "config" | "rules"> => ({
  rules: readRules(row.rules, row.decimals),
  config: {
    decimals: row.decimals,
    requiredSchema: row.required_schema,
    paused: row.paused,
    // A limit needs a known count.
    isCounting: row.counted_up_to !== null,
    issued: BigInt(row.issued),
    holders: row.holders,
    knowsBalances: row.transfer_mode === "agent",
  },
})

/** A request as the rules see it, with the facts about its wallets. */
export function transferContext(
  {
    config,
    ...request
  }: Pick<TransferContext, "amount" | "now" | "namesClaims" | "holds" | "whilePaused"> & { config: ConfigRow },
  movement: Between<Address>,
  { claims, isFrozen }: Standings,
  holdingOf: (key: HoldingKey) => Holding,
  isListed: (wallet: Address) => boolean | undefined,
  unverifiedBecause: (of: WalletSchema) => string | undefined = () => undefined,
): TransferContext {
  const holder = (wallet: Address): Holder => ({
    wallet,
    claims: claims({ schemaId: config.required_schema, wallet }),
    isListed: isListed(wallet),
    isFrozen: isFrozen({ config: config.id, wallet }),
    unverifiedBecause: unverifiedBecause({ schemaId: config.required_schema, wallet }),
    ...holdingOf({ config: config.id, wallet }),
  })
  return { ...request, ...rulesOf(config), ...withEnds(movement, holder) }
}
