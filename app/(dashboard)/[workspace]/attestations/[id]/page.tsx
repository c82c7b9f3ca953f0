"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { InvestorLink } from "#app/(dashboard)/investor-link.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { NewTab } from "#app/components/new-tab.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { publicReasonCopy } from "../reason-fields.tsx"
import { Proof } from "./proof.tsx"
import { Revoke } from "./revoke.tsx"
import { AttestationTimeline } from "./timeline.tsx"

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
