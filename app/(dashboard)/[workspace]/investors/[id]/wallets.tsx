import { RevokeButton } from "#app/(dashboard)/[workspace]/attestations/revoke-button.tsx"
import { FreezeButton } from "#app/(dashboard)/[workspace]/tokens/freeze-button.tsx"
import { FreezeNote, LostNote } from "#app/(dashboard)/freeze-note.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { type RouterOutputs, To, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { ReportLostButton } from "./report-lost-button.tsx"

type InvestorView = RouterOutputs["investor"]["view"]

export function Wallets({ investor }: { investor: InvestorView }) {
  const { wallets, has_more_wallets, external_id } = investor
  const { can } = useWorkspace()
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
        {wallets.map(({ user_pubkey, freezes, bar, states }) => (
          <li key={user_pubkey} className="py-3">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
              <Copyable value={user_pubkey} what="wallet" compact />
              <span className="ml-auto flex flex-wrap justify-end gap-2">
                {bar === null && <ReportLostButton wallet={user_pubkey} investor={investor} />}
                <FreezeButton of={{ wallet: user_pubkey, investor, freezes, mint_config: null }} />
              </span>
            </div>
            <LostNote bar={bar} />
            <FreezeNote freezes={freezes} />
            <ul className="mt-1.5 space-y-1.5">
              {states.map(({ schema, status, attestation_id, expires_at }) => (
                <li key={schema} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
                  <To
                    path={["attestations", attestation_id]}
                    className="rounded-sm wrap-anywhere underline-offset-2 hover:underline"
                  >
                    <SchemaName id={schema} />
                    <span className="sr-only">, open the verification</span>
                  </To>
                  <StatusBadge status={status} />
                  {status === "verified" && expires_at && (
                    <span className="text-muted">
                      until <Timestamp at={expires_at} />
                    </span>
                  )}
                  {can("attestation:write") && (status === "verified" || status === "pending") && (
                    <span className="ml-auto">
                      <RevokeButton of={{ attestation_id, external_id, user_pubkey, schema, status }} isInList />
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
