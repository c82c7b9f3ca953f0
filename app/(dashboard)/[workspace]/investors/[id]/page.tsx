"use client"

import { useParams } from "next/navigation.js"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Empty, Failed, Loading } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { Activity } from "./activity.tsx"
import { ClaimsCard } from "./claims.tsx"
import { Erase, VendorRedactions } from "./erase.tsx"
import { Holdings } from "./holdings.tsx"
import { Notes } from "./notes.tsx"
import { OpenReviews } from "./open-reviews.tsx"
import { InvestorTimeline } from "./timeline.tsx"
import type { InvestorView } from "./view.ts"
import { Wallets } from "./wallets.tsx"

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const path = usePath()
  const { can } = useWorkspace()
  const view = useQuery("investor.view", { id })
  const mayReview = can("review:write")
  const reviews = useQuery("review.list", { investor: id }, { enabled: mayReview })
  // Read together, so that the reviews at the top do not push the page down later.
  const data = mayReview && reviews.isLoading ? undefined : view.data
  const isMissing = view.error !== null && problemOf(view.error).code === "investor_not_found"
  return (
    <>
      <p className="mb-2 text-[13px]">
        <Link href={path("investors")} className="text-muted hover:underline">
          Investors
        </Link>
      </p>
      <PageHeader
        title="Investor"
        heading={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <span className="wrap-anywhere">{data?.external_id ?? "Investor"}</span>
            {data?.erased_at && <Badge>Erased</Badge>}
          </span>
        }
        actions={data && !data.erased_at && can("investor:erase") && <Erase investor={data} />}
      />
      {data ? (
        <div className="space-y-4">
          {mayReview && reviews.data && <OpenReviews reviews={reviews.data} />}
          <Person key={data.investor_id} investor={data} />
        </div>
      ) : isMissing ? (
        <Card>
          <Empty title="Investor not found in this workspace">
            Check the id, or look in the other workspace: test and live are separate.
          </Empty>
        </Card>
      ) : view.error ? (
        <Card>
          <Failed error={view.error} onRetry={view.refetch} />
        </Card>
      ) : (
        <Card>
          <Loading what="Loading the investor" lines={8} />
        </Card>
      )}
    </>
  )
}

function Person({ investor }: { investor: InvestorView }) {
  const { can } = useWorkspace()
  return (
    <div className="space-y-4">
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0 space-y-4">
          <Card title="About">
            <About investor={investor} />
          </Card>
          <Card title="Wallets" description="Each with its status for every schema. A schema is one kind of check.">
            <Wallets investor={investor} />
          </Card>
          <Card title="Tokens held">
            <Holdings investor={investor} />
          </Card>
          {can("claims:read") && <ClaimsCard investor={investor} />}
        </div>
        <div className="min-w-0 space-y-4">
          {investor.erased_at && can("investor:erase") && <VendorRedactions investorId={investor.investor_id} />}
          {can("claims:read") && <Notes investorId={investor.investor_id} isErased={investor.erased_at !== null} />}
          <Card title="Timeline">
            <InvestorTimeline investor={investor} />
          </Card>
        </div>
      </div>
      <Activity investorId={investor.investor_id} />
    </div>
  )
}

const About = ({ investor }: { investor: InvestorView }) => (
  <Facts
    facts={{
      "External id": investor.external_id && <span className="wrap-anywhere">{investor.external_id}</span>,
      "Investor id": <Copyable value={investor.investor_id} what="investor id" compact />,
      "First seen": <Timestamp at={investor.first_seen_at} />,
      "Data erased": investor.erased_at && <Timestamp at={investor.erased_at} />,
    }}
  />
)
