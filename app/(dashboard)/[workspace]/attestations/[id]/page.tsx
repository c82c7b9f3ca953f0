"use client"

import { useParams } from "next/navigation.js"
import { InvestorLink } from "#app/(dashboard)/investor-link.tsx"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Empty, Failed, Loading } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { publicReasonCopy } from "../reason-fields.tsx"
import { Proof } from "./proof.tsx"
import { Revoke } from "./revoke.tsx"
import { Timeline } from "./timeline.tsx"

type Detail = RouterOutputs["attestation"]["detail"]

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const path = usePath()
  const { can } = useWorkspace()
  const detail = useQuery("attestation.detail", { id })
  const { data } = detail
  const isMissing = detail.error !== null && problemOf(detail.error).code === "attestation_not_found"
  const isStanding = data?.status === "pending" || data?.status === "verified"
  return (
    <>
      <p className="mb-2 text-[13px]">
        <Link href={path("attestations")} className="text-muted hover:underline">
          Attestations
        </Link>
      </p>
      <PageHeader
        title="Attestation"
        heading={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            Attestation
            {data && <StatusBadge status={data.status} />}
          </span>
        }
        actions={data && isStanding && can("attestation:write") && <Revoke attestation={data} />}
      />
      {data ? (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="min-w-0 space-y-4">
            <Card title="About">
              <About attestation={data} />
            </Card>
            <Proof attestation={data} />
          </div>
          <Card title="Timeline">
            <Timeline events={data.timeline} />
          </Card>
        </div>
      ) : isMissing ? (
        <Card>
          <Empty title="Attestation not found in this workspace">
            Check the id, or look in the other workspace: test and live are separate.
          </Empty>
        </Card>
      ) : detail.error ? (
        <Card>
          <Failed error={detail.error} onRetry={detail.refetch} />
        </Card>
      ) : (
        <Card>
          <Loading what="Loading the attestation" lines={8} />
        </Card>
      )}
    </>
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
          <a
            href={`/verify/${attestation.session_id}`}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent underline"
          >
            Open its page
            <span className="sr-only"> (opens a new tab)</span>
          </a>
        ),
      }}
    />
  )
}
