import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import type { ReasonCode } from "#shared/movements.ts"

const reasonNames = {
  redemption: "Redemption",
  buyback: "Buyback",
  court_order: "Court order",
  sanctions: "Sanctions",
  regulator: "Regulator",
  lost_wallet: "Lost wallet",
  estate: "Estate",
  error_correction: "Correction of an error",
  tax: "Tax",
  other: "Other reason",
} as const satisfies Record<ReasonCode, string>

type Freeze = RouterOutputs["token"]["holders"]["data"][number]["freeze"]

/** That the workspace has frozen a wallet, since when and why. The state of its account on chain is another thing. */
export function FreezeNote({ freeze }: { freeze: Freeze }) {
  if (freeze === null) return null
  const { since, reason_code, reference } = freeze
  return (
    <span className="block text-xs font-medium text-notice">
      Wallet frozen since <Timestamp at={since} />: {reasonNames[reason_code]} ({reference})
    </span>
  )
}
