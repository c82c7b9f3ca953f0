import { useState } from "react"
import { Moment, Timeline } from "#app/(dashboard)/detail-page.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Button } from "#app/components/ui/button.tsx"

type InvestorView = RouterOutputs["investor"]["view"]
type Event = InvestorView["timeline"][number]

const copy = {
  first_seen: "First seen",
  started: "Verification started",
  consented: "Consent given by the investor",
  approved: "Approved by the provider",
  rejected: "Rejected",
  verified: "Verified: credential issued on chain",
  revoked: "Revoked",
  expired: "Expired",
  superseded: "Replaced by a renewal",
  wallet_added: "Another wallet added",
  erased: "Personal data erased",
} as const satisfies Record<Event["event"], string>

const SHOWN = 8

const dots: Partial<Record<Event["event"], string>> = {
  verified: "bg-accent",
  rejected: "bg-danger",
  revoked: "bg-danger",
}

export function InvestorTimeline({ investor: { timeline, has_earlier } }: { investor: InvestorView }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? timeline : timeline.slice(0, SHOWN)
  return (
    <>
      <Timeline className="space-y-4">
        {shown.map(({ event, at, attestation_id, user_pubkey, schema, reason }) => (
          <Moment
            key={`${event} ${at} ${attestation_id}`}
            dot={dots[event]}
            what={copy[event]}
            at={at}
            more={
              user_pubkey && (
                <>
                  {" · "}
                  <Shortened value={user_pubkey} />
                </>
              )
            }
          >
            {reason && <p className="text-[13px] wrap-anywhere">{reason}</p>}
            {attestation_id && schema && (
              <p className="text-[13px] text-muted">
                <To path={["attestations", attestation_id]} className="rounded-sm wrap-anywhere underline">
                  <SchemaName id={schema} />
                </To>
              </p>
            )}
          </Moment>
        ))}
      </Timeline>
      {shown.length < timeline.length && (
        <Button size="sm" className="mt-4" onClick={() => setWhole(true)}>
          Show all {timeline.length} events
        </Button>
      )}
      {has_earlier && shown.length === timeline.length && (
        <p className="mt-4 text-[13px] text-muted">Earlier verifications are listed below.</p>
      )}
    </>
  )
}
