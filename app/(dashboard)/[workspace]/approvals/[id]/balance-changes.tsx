import { Balances, type Change } from "#app/(dashboard)/[workspace]/tokens/[config]/balances.tsx"
import { useTokens } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { toBaseUnits } from "#shared/amount.ts"
import type { ApprovalDetail } from "../summary.ts"

/** What the wallets of a movement hold now, and what they will hold if it is approved. */
export function BalanceChanges({ approval: { action, state, request } }: { approval: ApprovalDetail }) {
  const { user_pubkey, from_pubkey = user_pubkey, to_pubkey = user_pubkey } = request
  const owners = useOwners([user_pubkey, from_pubkey, to_pubkey].map(String))
  const token = useTokens()?.get(String(request.mint_config))
  const isMovement = action === "mint" || action === "transfer" || action === "burn" || action === "force_transfer"
  if (state !== "pending" || !isMovement || !token) return null
  const amount = toBaseUnits(String(request.amount), token.decimals)
  if (amount === null) return null
  const change = (wallet: unknown, balance: bigint): Change => {
    const owner = owners.find(({ user_pubkey }) => user_pubkey === wallet)
    return {
      ...{ wallet: String(wallet), balance },
      ...(owner && owner.external_id !== null && { name: nameOf(owner) }),
      ...(owner && { investor: owner.investor_id }),
    }
  }
  return (
    // On a phone, names and sums take lines that are not there while they load.
    <div className="mt-5 max-sm:min-h-36">
      <Balances
        token={token}
        changes={[
          ...(action === "mint" ? [] : [change(from_pubkey, -amount)]),
          ...(action === "burn" ? [] : [change(to_pubkey, amount)]),
        ]}
      />
    </div>
  )
}
