import { Balances, type Change } from "#app/(dashboard)/[workspace]/tokens/[config]/balances.tsx"
import { useTokens } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { toBaseUnits } from "#shared/amount.ts"
import type { ApprovalDetail, Names } from "../summary.ts"

type BalanceChangesProps = { approval: ApprovalDetail; names: Names }

/** What the wallets of a movement hold now, and what they will hold if it is approved. */
export function BalanceChanges({ approval: { action, state, request }, names }: BalanceChangesProps) {
  const token = useTokens()?.get(String(request.mint_config))
  const isMovement = action === "mint" || action === "transfer" || action === "burn" || action === "force_transfer"
  if (state !== "pending" || !isMovement || !token) return null
  const amount = toBaseUnits(String(request.amount), token.decimals)
  if (amount === null) return null
  const { user_pubkey, from_pubkey = user_pubkey, to_pubkey = user_pubkey } = request
  const change = (wallet: unknown, balance: bigint): Change => ({
    ...{ wallet: String(wallet), name: names.person(String(wallet)), balance },
  })
  return (
    <div className="mt-5">
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
