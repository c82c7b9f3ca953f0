import type { ReactNode } from "react"
import { Positions } from "#app/(dashboard)/[workspace]/recoveries/positions.tsx"
import { To, usePolling } from "#app/(dashboard)/workspace.tsx"
import { Loaded } from "#app/components/frame.tsx"
import type { ApprovalDetail } from "../summary.ts"

/** A request to recover a lost wallet: its fields, and what would move as of now. */
export function RecoveryRequest({ approval: { subject, state }, children }: RecoveryRequestProps) {
  const query = usePolling("recovery.get", { id: subject }, (recovery) => recovery.state !== "in_progress")
  return (
    <>
      <p className="mb-3">
        {state === "pending"
          ? "Everything that the lost wallet holds would move to the new wallet of the same investor."
          : "Everything that the lost wallet holds was to move to the new wallet of the same investor."}{" "}
        {query.data?.barred_since && "The lost wallet is stopped already. "}
        <To path={["recoveries", subject]} className="rounded-sm text-accent underline underline-offset-2">
          Open the recovery
        </To>
      </p>
      {children}
      <h3 className="mt-5 mb-3 border-t border-line pt-4 font-semibold">Tokens of the lost wallet</h3>
      <Loaded query={query} what="the tokens">
        {({ positions }) => <Positions positions={positions} isStatic={state === "pending"} />}
      </Loaded>
    </>
  )
}

type RecoveryRequestProps = { approval: ApprovalDetail; children: ReactNode }
