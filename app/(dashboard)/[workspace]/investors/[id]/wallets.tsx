import { To } from "#app/(dashboard)/to.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Empty } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import type { InvestorView } from "./view.ts"

/** An investor's wallets with their status for each schema. */
export function Wallets({ investor: { wallets, has_more_wallets } }: { investor: InvestorView }) {
  if (wallets.length === 0) {
    return (
      <Empty title="No wallets" className="py-6!">
        The wallets of this investor now belong to other investors. Past verifications are listed below.
      </Empty>
    )
  }
  return (
    <>
      <ul className="-my-3 divide-y divide-line">
        {wallets.map(({ user_pubkey, states }) => (
          <li key={user_pubkey} className="py-3">
            <Copyable value={user_pubkey} what="wallet" compact />
            <ul className="mt-1.5 space-y-1.5">
              {states.map(({ schema, status, attestation_id, expires_at }) => (
                <li key={schema} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
                  <To
                    path={["attestations", attestation_id]}
                    className="rounded-sm wrap-anywhere underline-offset-2 hover:underline"
                  >
                    {schema}
                    <span className="sr-only">, open the verification</span>
                  </To>
                  <StatusBadge status={status} />
                  {status === "verified" && expires_at && (
                    <span className="text-muted">
                      until <Timestamp at={expires_at} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {has_more_wallets && (
        <p className="mt-4 text-[13px] text-muted">The newest {wallets.length} wallets are shown.</p>
      )}
    </>
  )
}
