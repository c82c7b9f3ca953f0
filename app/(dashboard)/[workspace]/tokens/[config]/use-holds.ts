import type { Hold } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { toBaseUnits } from "#shared/amount.ts"

/** The most holds that a request can name. */
const MOST = 100

/** The holds of a wallet that hold something, newest first. Empty while they load, and without a wallet. */
export function useActiveHolds(mint_config: string, pubkey: string | null): readonly Hold[] {
  const enabled = pubkey !== null
  const { data } = useQuery(
    "hold.list",
    { mint_config, pubkey: pubkey ?? "", state: "active", limit: MOST },
    { enabled },
  )
  return data?.data.filter(({ remaining }) => remaining !== "0") ?? []
}

/** What a movement takes out of holds, in base units: from them first. For `amount` null, all of it. */
export function takenFrom(holds: readonly Hold[], amount: bigint | null, decimals: number): bigint {
  const all = holds.reduce((sum, { remaining }) => sum + toBaseUnits(remaining, decimals)!, 0n)
  return amount === null || all < amount ? all : amount
}
