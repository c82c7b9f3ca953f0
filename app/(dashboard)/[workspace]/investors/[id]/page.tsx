"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
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
  const { can } = useWorkspace()
  const view = useQuery("investor.view", { id })
  const mayReview = can("review:write")
  const reviews = useQuery("review.list", { investor: id }, { enabled: mayReview })
  // Read together, so that the reviews at the top do not push the page down later.
  const query = { ...view, data: mayReview && reviews.isLoading ? undefined : view.data }
  return (
    <DetailPage
      up={[["investors"], "Investors"]}
      name="Investor"
      query={query}
      missing={{
        code: "investor_not_found",
        title: "Investor not found in this workspace",
        text: "Check the id, or look in the other workspace: test and live are separate.",
      }}
      head={(investor) => ({
        heading: investor.external_id ?? "Investor",
        badge: investor.erased_at && <Badge>Erased</Badge>,
        actions: !investor.erased_at && can("investor:erase") && <Erase investor={investor} />,
      })}
    >
      {(investor) => (
        <div className="space-y-4">
          {mayReview && reviews.data && <OpenReviews reviews={reviews.data} />}
          <Person key={investor.investor_id} investor={investor} />
        </div>
      )}
    </DetailPage>
  )
}

function Person({ investor }: { investor: InvestorView }) {
  const { can } = useWorkspace()
  return (
    <div className="space-y-4">
      <TwoColumns
        wide={
          <>
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
          </>
        }
        narrow={
          <>
            {investor.erased_at && can("investor:erase") && <VendorRedactions investorId={investor.investor_id} />}
            {can("claims:read") && <Notes investorId={investor.investor_id} isErased={investor.erased_at !== null} />}
            <Card title="Timeline">
              <InvestorTimeline investor={investor} />
            </Card>
          </>
        }
      />
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
