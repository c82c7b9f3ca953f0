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
  started: "verification started",
  consented: "consent given by the investor",
  approved: "approved by the provider",
  rejected: "rejected",
  verified: "verified, credential issued on chain",
  revoked: "revoked",
  expired: "expired",
  superseded: "replaced by a renewal",
  wallet_added: "Another wallet added",
  erased: "Personal data erased",
} as const satisfies Record<Event["event"], string>

const SHOWN = 10

const dots: Partial<Record<Event["event"], string>> = {
  verified: "bg-accent",
  rejected: "bg-danger",
  revoked: "bg-danger",
}

export function InvestorTimeline({ investor: { timeline, has_earlier, wallets } }: { investor: InvestorView }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? timeline : timeline.slice(0, SHOWN)
  return (
    <>
      <Timeline className="space-y-4">
        {shown.map((event) => (
          <Moment
            key={`${event.event} ${event.at} ${event.attestation_id}`}
            dot={dots[event.event]}
            what={<What of={event} />}
            at={event.at}
            more={
              wallets.length > 1 &&
              event.user_pubkey && (
                <>
                  {" · "}
                  <Shortened value={event.user_pubkey} />
                </>
              )
            }
          >
            {event.reason && <p className="text-[13px] wrap-anywhere">{event.reason}</p>}
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

/** What happened. A verification is named by its schema. */
function What({ of: { event, attestation_id, schema } }: { of: Event }) {
  if (attestation_id === null || schema === null || event === "wallet_added") return copy[event]
  return (
    <>
      <To
        path={["attestations", attestation_id]}
        className="rounded-sm underline-offset-2 wrap-anywhere hover:underline"
      >
        <SchemaName id={schema} />
      </To>
      : {copy[event]}
    </>
  )
}
