"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { Moment, Timeline } from "#app/(dashboard)/timeline.tsx"
import { InvestorLink, To } from "#app/(dashboard)/to.tsx"
import { useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import type { TimelineEvent } from "#domain/attestations"
import { publicReasonCopy, ReasonFields, reasonsIn } from "../reason-fields.tsx"
import { Proof } from "./proof.tsx"

type Detail = RouterOutputs["attestation"]["detail"]

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const { can } = useWorkspace()
  return (
    <DetailPage
      up={[["attestations"], "Attestations"]}
      name="Attestation"
      query={useQuery("attestation.detail", { id })}
      missing={{
        code: "attestation_not_found",
        title: "Attestation not found in this workspace",
        text: "Check the id, or look in the other workspace: test and live are separate.",
      }}
      head={(attestation) => {
        const { status } = attestation
        const isStanding = status === "pending" || status === "verified"
        return {
          badge: <StatusBadge status={status} />,
          actions: isStanding && can("attestation:write") && <Revoke attestation={attestation} />,
        }
      }}
    >
      {(attestation) => (
        <TwoColumns
          wide={
            <>
              <Card title="About">
                <About attestation={attestation} />
              </Card>
              <Proof attestation={attestation} />
            </>
          }
          narrow={
            <Card title="Timeline">
              <AttestationTimeline events={attestation.timeline} />
            </Card>
          }
        />
      )}
    </DetailPage>
  )
}

function About({ attestation }: { attestation: Detail }) {
  const { attestation_id, user_pubkey, schema, provider, started_at, issued_at, expires_at } = attestation
  return (
    <Facts
      facts={{
        Wallet: <Copyable value={user_pubkey} what="wallet" compact />,
        "Attestation id": <Copyable value={attestation_id} what="attestation id" compact />,
        Investor: <InvestorLink investor={attestation} />,
        Schema: schema,
        "Checked by": provider,
        Country: attestation.country_unknown && (
          <span className="text-notice">
            Unknown: the vendor’s code is not a known country, so country rules refuse this wallet.
          </span>
        ),
        Started: <Timestamp at={started_at} />,
        Issued: issued_at && <Timestamp at={issued_at} />,
        Expires: expires_at && <Timestamp at={expires_at} />,
        "Internal reason": attestation.revocation_reason,
        "Reason shown to the investor": attestation.public_reason && publicReasonCopy[attestation.public_reason],
        Session: attestation.status === "pending" && attestation.session_id && (
          <NewTab href={`/verify/${attestation.session_id}`} className="text-accent underline">
            Open its page
          </NewTab>
        ),
      }}
    />
  )
}

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
const AttestationTimeline = ({ events }: { events: readonly TimelineEvent[] }) => (
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

/** Ends an attestation permanently. */
function Revoke({ attestation: { attestation_id, status } }: { attestation: Detail }) {
  const revoke = useMutation((api, reasons: ReturnType<typeof reasonsIn>) =>
    api.attestation.revoke.mutate({ id: attestation_id, ...reasons }),
  )
  return (
    <Confirm
      trigger={<Button>Revoke</Button>}
      title="Revoke this attestation?"
      description={
        status === "verified"
          ? "The wallet is no longer verified, and its credential is destroyed on chain within seconds. You cannot undo this: the wallet would have to be verified again."
          : "Its session closes and nothing is issued on chain. It no longer counts against your quota."
      }
      confirm="Revoke"
      word="REVOKE"
      onConfirm={(values) => revoke.mutateAsync(reasonsIn(values))}
    >
      <ReasonFields />
    </Confirm>
  )
}
