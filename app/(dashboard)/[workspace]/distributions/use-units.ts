import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { groupedTo, placesOf } from "#shared/amount.ts"
import type { Distribution } from "./words.ts"

type Paid = Pick<Distribution, "mint_config" | "settlement" | "payment_mint">

/** The names of the tokens, and what the amounts of distributions are in. What is paid elsewhere has no unit. */
export function useUnits(distributions: readonly Paid[]) {
  const tokens = useQuery("mintConfig.list", {}).data?.data ?? []
  // Reads the chain, so it is only asked for what is paid there.
  const isOnChain = distributions.some(({ settlement }) => settlement === "stablecoin")
  const treasury = useQuery("treasury.get", {}, { enabled: isOnChain }).data
  const tokenOf = (config: string) => tokens.find(({ id }) => id === config)
  function unitOf({ mint_config, settlement, payment_mint }: Paid): string | null {
    if (settlement === "in_kind") return tokenOf(mint_config)?.symbol ?? mint_config
    const paid = treasury?.balances.find(({ mint }) => mint === payment_mint)
    return paid?.symbol ?? null
  }
  return {
    nameOf: (config: string) => tokenOf(config)?.name ?? config,
    symbolOf: (config: string) => tokenOf(config)?.symbol ?? config,
    /** An amount of a distribution with its unit, if it has one, and at least so many digits after the point. */
    amountIn: (of: Paid) => {
      const unit = unitOf(of)
      return (amount: string, places = 0) =>
        [groupedTo(Math.max(places, placesOf([amount])), amount), ...(unit === null ? [] : [unit])].join(" ")
    },
  }
}
