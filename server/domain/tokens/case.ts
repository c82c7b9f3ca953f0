import { type ConfigRow, ruledBy } from "./config.ts"
import type { Holding, Place, Standing } from "./parties.ts"
import type { Case, Party } from "./rules.ts"

/** A request as its rules see it, of what is known about its wallets. */
export function caseOf(
  {
    config,
    from,
    to,
    amount,
    now,
    namesClaims,
  }: Pick<Case, "amount" | "now" | "namesClaims"> & { config: ConfigRow; from: string | null; to: string },
  claims: (of: Standing) => Party["claims"],
  holdingOf: (place: Place) => Holding,
  unverifiedBecause: (of: Standing) => string | undefined = () => undefined,
): Case {
  const party = (wallet: string): Party => ({
    wallet,
    claims: claims({ schemaId: config.required_schema, wallet }),
    unverifiedBecause: unverifiedBecause({ schemaId: config.required_schema, wallet }),
    ...holdingOf({ config: config.id, wallet }),
  })
  return {
    amount,
    from: from === null ? null : party(from),
    to: party(to),
    now,
    namesClaims,
    config: ruledBy(config),
  }
}
