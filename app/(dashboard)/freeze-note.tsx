import type { Bar, Freeze } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { To } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { reasonNames } from "#shared/movements.ts"

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

/** That a wallet was reported as lost, since when and why, with a link to its recovery. */
export const LostNote = ({ bar }: { bar: Bar }) =>
  bar && (
    <span className="block text-xs wrap-anywhere text-notice">
      <Badge tone="notice" className="mr-1.5">
        Lost
      </Badge>
      since <Timestamp at={bar.since} />: {reasonNames[bar.reason_code]} ({bar.reference}){" "}
      <To path={["recoveries", bar.recovery_id]} className="rounded-sm font-medium underline underline-offset-2">
        Open the recovery
      </To>
    </span>
  )
