import type { ReactNode } from "react"
import { ClaimsCard } from "#app/(dashboard)/[workspace]/investors/[id]/claims-card.tsx"
import { FreezeNote, LostNote } from "#app/(dashboard)/freeze-note.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { InvestorLink, type RouterOutputs, To, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts, Loaded, Loading } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import { headlineOf, reviewKinds } from "#shared/reviews.ts"
import { ReviewBadge } from "../review-badge.tsx"
import { About } from "./about.tsx"
import type { Review } from "./review.ts"

type InvestorView = RouterOutputs["investor"]["view"]
type Summary = RouterOutputs["review"]["list"]["data"][number]

/** How many earlier reviews are shown. The investor's page has all. */
const EARLIER = 5

/**
 * What a decision depends on, next to it: the person, what happened and what colleagues noted, the case, and earlier reviews.
 * Shown together, so that no part pushes the others down later.
 */
export function Context({ review, history }: { review: Review; history: ReactNode }) {
  const { can } = useWorkspace()
  const id = review.investor_id
  const view = useQuery("investor.view", { id: id ?? "" }, { enabled: id !== null })
  const closed = useQuery("review.list", { investor: id ?? "", state: "closed" }, { enabled: id !== null })
  if (view.isLoading || closed.isLoading)
    return (
      <Card>
        <Loading what="Loading the person" lines={8} />
      </Card>
    )
  const earlier = (closed.data?.data ?? []).filter(({ review_id }) => review_id !== review.review_id)
  const sentFor = review.state === "open" && review.has_claims ? review : null
  return (
    <>
      {id !== null && (
        <Card title="Person">
          <Loaded query={view} what="the person">
            {(investor) => <Person investor={investor} wallet={review.wallet} />}
          </Loaded>
        </Card>
      )}
      {view.data && can("claims:read") && (view.data.has_claims || sentFor !== null) && (
        <ClaimsCard investor={view.data} review={sentFor} />
      )}
      {history}
      <Card title="Case" description={reviewKinds[review.kind].summary}>
        <About review={review} />
      </Card>
      {earlier.length > 0 && <Earlier reviews={earlier.slice(0, EARLIER)} />}
    </>
  )
}

function Person({ investor, wallet }: { investor: InvestorView; wallet: string | null }) {
  const { first_seen_at, wallets, tokens } = investor
  return (
    <>
      <Facts
        facts={{
          Investor: <InvestorLink investor={investor} />,
          "First seen": <Timestamp at={first_seen_at} />,
          Holds:
            tokens.length === 0
              ? "No tokens"
              : tokens.map(({ mint_config, symbol, total }) => (
                  <To key={mint_config} path={["tokens", mint_config]} className="block hover:underline">
                    {grouped(total)} {symbol}
                  </To>
                )),
        }}
      />
      <ul aria-label="Wallets" className="mt-4 -mb-2.5 divide-y divide-line border-t border-line">
        {wallets.map(({ user_pubkey, freezes, bar, states }) => (
          <li key={user_pubkey} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 py-2.5">
            <span className="min-w-0">
              <Copyable value={user_pubkey} what="wallet" compact />
              {user_pubkey === wallet && <span className="ml-2 text-xs text-muted">This case</span>}
              <LostNote bar={bar} />
              <FreezeNote freezes={freezes} />
            </span>
            <span className="ml-auto space-y-1">
              {states.map(({ schema, status, attestation_id }) => (
                <span key={schema} className="flex items-center justify-end gap-3 text-[13px]">
                  <To path={["attestations", attestation_id]} className="rounded-sm wrap-anywhere hover:underline">
                    <SchemaName id={schema} />
                  </To>
                  <StatusBadge status={status} />
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const Earlier = ({ reviews }: { reviews: readonly Summary[] }) => (
  <Card title="Earlier reviews">
    <ul className="-my-2.5 divide-y divide-line">
      {reviews.map((review) => (
        <li key={review.review_id} className="py-2.5">
          <p className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <To path={["reviews", review.review_id]} className="rounded-sm font-medium wrap-anywhere hover:underline">
              {headlineOf(review)}
            </To>
            <ReviewBadge review={review} />
          </p>
          <p className="text-[13px] text-muted">
            <Timestamp at={review.closed_at} />
            {review.decided_by && ` by ${review.decided_by.name}`}
          </p>
        </li>
      ))}
    </ul>
  </Card>
)
