import { reasonNames } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"

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
