import { MovementBalances } from "#app/(dashboard)/[workspace]/tokens/[config]/movement-balances.tsx"
import { useTokens } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { movementOf } from "#shared/approvals.ts"
import type { ApprovalDetail } from "../summary.ts"

/** What the wallets of a requested movement hold now, and what they hold if it is approved. */
export function BalanceChanges({ approval: { action, state, request } }: { approval: ApprovalDetail }) {
  const { user_pubkey, from_pubkey = user_pubkey, to_pubkey = user_pubkey, hold_id } = request
  const token = useTokens()?.get(String(request.mint_config))
  const isMovement = movementOf(action) !== null
  if (state !== "pending" || !isMovement || !token) return null
  return (
    // On a phone, names and sums take lines that are not there while they load.
    <div className="mt-5 max-sm:min-h-36">
      <MovementBalances
        token={token}
        from={action === "mint" ? null : String(from_pubkey)}
        to={action === "burn" ? null : String(to_pubkey)}
        amount={String(request.amount)}
        holds={[...((request.holds as string[] | undefined) ?? []), ...(hold_id ? [String(hold_id)] : [])]}
      />
    </div>
  )
}
