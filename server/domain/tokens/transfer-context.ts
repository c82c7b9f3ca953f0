import type { Held, InvestorBook, Receiving } from "#domain/token-investors"
import type { Address } from "#shared/address.ts"
import { type Between, withEnds } from "#shared/movements.ts"
import type { Holder, TransferContext } from "#shared/rules/define.ts"
import { readRules } from "#shared/rules/fields.ts"
import type { ConfigRow } from "./config.ts"
import type { Holding, HoldingKey, Standings, WalletSchema } from "./holder-facts.ts"
import { receivingOf } from "./investors.ts"
import type { LotsOf } from "./lots/unlocked.ts"

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
    investors = null,
    lotsOf = () => undefined,
    ...request
  }: Pick<TransferContext, "amount" | "now" | "namesClaims" | "holds" | "whilePaused" | "isRecovery"> & {
    config: ConfigRow
    /** What holding periods let wallets transfer. */
    lotsOf?: LotsOf
    investors?: { book: InvestorBook; heldOf: (key: HoldingKey) => Held | null } | null
  },
  movement: Between<Address>,
  standings: Standings,
  holdingOf: (key: HoldingKey) => Holding,
  isListed: (wallet: Address) => boolean | undefined,
  unverifiedBecause: (of: WalletSchema) => string | undefined = () => undefined,
): TransferContext {
  const known = config.investors === null ? null : investors
  const holder = (wallet: Address): Holder => {
    const key = { config: config.id, wallet }
    const of = { schemaId: config.required_schema, wallet }
    const holding = holdingOf(key)
    const investor = standings.verifiedFor(of)?.investor ?? holding.investor
    return {
      wallet,
      claims: standings.claims(of),
      isListed: isListed(wallet),
      isFrozen: standings.isFrozen(key),
      isBarred: standings.isBarred(wallet),
      unverifiedBecause: unverifiedBecause(of),
      ...holding,
      lots: lotsOf(key),
      investor,
      ofInvestor: known && investor !== null ? known.book.ownedBy(config.id, investor) : undefined,
    }
  }
  const receiving = known && receivingOf({ config, movement, amount: request.amount }, standings, known.heldOf)
  const counts = known && receiving && countsAfter(known.book, receiving)
  return { ...request, ...rulesOf(config), ...withEnds(movement, holder), ...(counts && { counts }) }
}

/** If the giver's slot can go along, it does if a limit needs it to. */
function countsAfter(book: InvestorBook, receiving: Receiving): NonNullable<TransferContext["counts"]> {
  const { plain, handed } = book.countsAfter(receiving)
  return { before: receiving.config.investors!, after: handed ?? plain }
}
