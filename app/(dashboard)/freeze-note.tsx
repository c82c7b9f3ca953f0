import { type Freeze, reasonNames } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Timestamp } from "#app/components/timestamp.tsx"

/** Since when and why a wallet is frozen. */
export const FreezeReason = ({ freeze: { since, reason_code, reference } }: { freeze: Freeze }) => (
  <span className="wrap-anywhere">
    since <Timestamp at={since} />: {reasonNames[reason_code]} ({reference})
  </span>
)

/** That the workspace has frozen a wallet. The state of its account on chain is another thing. */
export const FreezeNote = ({ freezes }: { freezes: Freeze[] }) =>
  freezes.map((freeze) => (
    <span key={String(freeze.is_for_every_token)} className="block text-xs font-medium text-notice">
      Wallet frozen {freeze.is_for_every_token && "for every token "}
      <FreezeReason freeze={freeze} />
    </span>
  ))
