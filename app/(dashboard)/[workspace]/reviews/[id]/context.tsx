import type { ReactNode } from "react"
import { ClaimsCard } from "#app/(dashboard)/[workspace]/investors/[id]/claims-card.tsx"
import { FreezeNote, LostNote } from "#app/(dashboard)/freeze-note.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { type RouterOutputs, To, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts, Loaded } from "#app/components/frame.tsx"
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

/** The person of a review, and their closed reviews. */
export function usePerson(id: string | null) {
  const view = useQuery("investor.view", { id: id ?? "" }, { enabled: id !== null })
  const closed = useQuery("review.list", { investor: id ?? "", state: "closed" }, { enabled: id !== null })
  return { view, closed, isLoading: view.isLoading || closed.isLoading }
}

/**
 * What a decision depends on, next to it: the case, the person, what happened and what colleagues noted, and earlier reviews.
 * Shown together, so that no part pushes the others down later.
 */
export function Context({ review, history }: { review: Review; history: ReactNode }) {
  const { can } = useWorkspace()
  const id = review.investor_id
  const { view, closed } = usePerson(id)
  const earlier = (closed.data?.data ?? []).filter(({ review_id }) => review_id !== review.review_id)
  const sentFor = review.state === "open" && review.has_claims ? review : null
  return (
    <>
      <Card title="Case" description={reviewKinds[review.kind].summary}>
        <About review={review} />
      </Card>
      {id !== null && (
        <Card
          title="Person"
          actions={
            <To path={["investors", id]} className="rounded-sm text-[13px] text-accent underline underline-offset-2">
              View investor
            </To>
          }
        >
          <Loaded query={view} what="the person">
            {(investor) => <Person investor={investor} review={review} earlierReviews={earlier.length} />}
          </Loaded>
        </Card>
      )}
      {view.data && can("claims:read") && (view.data.has_claims || sentFor !== null) && (
        <ClaimsCard investor={view.data} review={sentFor} />
      )}
      {history}
      {earlier.length > 0 && <Earlier reviews={earlier.slice(0, EARLIER)} />}
    </>
  )
}

type PersonProps = { investor: InvestorView; review: Review; earlierReviews: number }

/** What a reviewer weighs about the person. */
function Person({ investor, review, earlierReviews }: PersonProps) {
  const { first_seen_at, wallets, tokens } = investor
  const { wallet } = review
  const others = wallets.filter(({ user_pubkey }) => user_pubkey !== wallet).length
  return (
    <>
      <Facts
        facts={{
          "First seen": <Timestamp at={first_seen_at} />,
          "Earlier verifications": earlierVerifications(investor, review),
          "Earlier reviews": earlierReviews === 0 ? "None" : `${earlierReviews}, listed below`,
          "Other wallets": wallet !== null && (others === 0 ? "None" : others),
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

const results = ["verified", "rejected", "revoked", "expired"] as const

/** How the person's other verifications ended, such as "2 verified, 1 revoked". */
function earlierVerifications({ timeline, has_earlier }: InvestorView, { attestations }: Review): string {
  const here = new Set(attestations.map(({ attestation_id }) => attestation_id))
  const counts = results.flatMap((result) => {
    const count = timeline.filter(
      ({ event, attestation_id }) => event === result && attestation_id !== null && !here.has(attestation_id),
    ).length
    return count === 0 ? [] : [`${count} ${result}`]
  })
  const words = counts.join(", ") || "None"
  return has_earlier ? `${words} of late. The investor’s page has all.` : words
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
