import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { grouped } from "#shared/amount.ts"
import type { Distribution } from "./words.ts"

type Paid = Pick<Distribution, "mint_config" | "settlement" | "payment_mint">

/** The names of the tokens, and what the amounts of distributions are in. */
export function useUnits(distributions: readonly Paid[]) {
  const tokens = useQuery("mintConfig.list", {}).data?.data ?? []
  // Reads the chain, so it is only asked for what is paid there.
  const isOnChain = distributions.some(({ settlement }) => settlement === "stablecoin")
  const treasury = useQuery("treasury.get", {}, { enabled: isOnChain }).data
  const tokenOf = (config: string) => tokens.find(({ id }) => id === config)
  function unitOf({ mint_config, settlement, payment_mint }: Paid): string {
    if (settlement === "in_kind") return tokenOf(mint_config)?.symbol ?? mint_config
    const paid = treasury?.balances.find(({ mint }) => mint === payment_mint)
    return paid?.symbol ?? "units"
  }
  return {
    nameOf: (config: string) => tokenOf(config)?.name ?? config,
    /** An amount of a distribution with its unit. */
    amountIn: (of: Paid) => {
      const unit = unitOf(of)
      return (amount: string) => `${grouped(amount)} ${unit}`
    },
  }
}
