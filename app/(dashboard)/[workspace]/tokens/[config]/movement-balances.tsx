import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { toBaseUnits } from "#shared/amount.ts"
import { Balances, type Change } from "./balances.tsx"
import { takenFrom, useActiveHolds } from "./use-holds.ts"

type MovementBalancesProps = {
  token: Pick<TokenView, "id" | "symbol" | "decimals">
  /** Null for a mint. */
  from: string | null
  /** Null for a burn. */
  to: string | null
  amount: string
  /** The ids of the holds to take from first. */
  holds?: readonly string[]
}

/** What the wallets of a movement hold now, and what they hold afterwards. */
export function MovementBalances({ token, from, to, amount, holds = [] }: MovementBalancesProps) {
  const wallets = [from, to].filter((wallet) => wallet !== null)
  const owners = useOwners(wallets)
  const units = toBaseUnits(amount, token.decimals)
  const active = useActiveHolds(token.id, holds.length > 0 ? from : null)
  if (units === null) return null
  const named = active.filter(({ hold_id }) => holds.includes(hold_id))
  // Unknown while they load, and if one has ended since.
  const held = named.length < holds.length ? null : -takenFrom(named, units, token.decimals)
  const changes = wallets.map((wallet): Change => {
    const owner = owners.find(({ user_pubkey }) => user_pubkey === wallet)
    return {
      ...{ wallet, balance: wallet === from ? -units : units },
      ...(wallet === from && holds.length > 0 && { held }),
      ...(owner && owner.external_id !== null && { name: nameOf(owner) }),
      ...(owner && { investor: owner.investor_id }),
    }
  })
  return <Balances token={token} changes={changes} />
}
