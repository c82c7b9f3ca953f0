import { Moment, Timeline } from "#app/(dashboard)/timeline.tsx"
import { To } from "#app/(dashboard)/to.tsx"
import { Copyable } from "#app/components/code.tsx"
import type { TimelineEvent } from "#domain/attestations"

const copy = {
  started: "Session started",
  submitted: "Form submitted by the investor",
  consented: "Consent given by the investor",
  wallet_proved: "Wallet proved by the investor's signature",
  decided: "Decided by the provider",
  signed: "Transaction signed",
  confirmed: "Credential issued on chain, frozen",
  cancelled: "Session cancelled",
  revoked: "Revoked",
  expired: "Expired",
  superseded: "Replaced by a renewal",
  burnt: "Credential destroyed on chain",
} as const satisfies Record<TimelineEvent["event"], string>

const decisions: Record<string, string> = {
  approved: "Approved by the provider",
  rejected: "Rejected by the provider",
  in_review: "In review at the provider",
  resubmission_requested: "Resubmission requested by the provider",
  expired: "Expired at the provider",
}

/** What a member decided after the provider left the decision to your team. */
const manual: Record<string, string> = {
  approved: "Approved by a member",
  rejected: "Rejected by a member",
  resubmission_requested: "Resubmission requested by a member",
}

const wordsOf = ({ event, detail, by }: TimelineEvent): string =>
  (event === "decided" && detail !== null && (by === null ? decisions : manual)[detail]) || copy[event]

const dots: Partial<Record<TimelineEvent["event"], string>> = {
  confirmed: "bg-accent",
  revoked: "bg-danger",
}

/** What happened to an attestation, oldest first. */
export const AttestationTimeline = ({ events }: { events: readonly TimelineEvent[] }) => (
  <Timeline>
    {events.map((event) => (
      <Moment
        key={`${event.event} ${event.at} ${event.detail}`}
        dot={dots[event.event]}
        what={wordsOf(event)}
        at={event.at}
        more={event.slot !== null && `, slot ${event.slot}`}
      >
        {event.event !== "decided" && event.detail && <p className="mt-0.5">{event.detail}</p>}
        <Trace event={event} />
      </Moment>
    ))}
  </Timeline>
)

/** Who did it, and by which request. Only requests of API keys are in the log. */
function Trace({ event: { by, request_id } }: { event: TimelineEvent }) {
  if (by === null && request_id === null) return null
  const who = by?.kind === "key" ? `API key ${by.name ?? ""}` : by?.name
  return (
    <p className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-[13px] text-muted">
      {who && <span>by {who}</span>}
      {request_id &&
        (by?.kind === "key" ? (
          <To path={["logs", request_id]} className="font-mono underline">
            <span className="sr-only">Request </span>
            {request_id}
          </To>
        ) : (
          <Copyable value={request_id} what="request id" compact />
        ))}
    </p>
  )
}
