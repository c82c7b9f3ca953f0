import { ClaimsCard } from "#app/(dashboard)/[workspace]/investors/[id]/personal-data.tsx"
import { FreezeNote, LostNote } from "#app/(dashboard)/freeze-note.tsx"
import { InvestorLink, type RouterOutputs, To, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts, Loaded } from "#app/components/frame.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import { reviewDecisions, reviewEndings } from "#shared/reviews.ts"
import { headlineOf } from "./review.ts"

type InvestorView = RouterOutputs["investor"]["view"]

/** How many earlier reviews are shown. The investor's page has all. */
const EARLIER = 5

/** The person that a review is about: what a decision depends on, beside it. */
export function Person({ investorId }: { investorId: string }) {
  const { can } = useWorkspace()
  const view = useQuery("investor.view", { id: investorId })
  return (
    <>
      <Card title="Person">
        <Loaded query={view} what="the investor" lines={5}>
          {(investor) => <Known investor={investor} />}
        </Loaded>
      </Card>
      {view.data && can("claims:read") && <ClaimsCard investor={view.data} />}
      <Earlier investorId={investorId} />
    </>
  )
}

function Known({ investor }: { investor: InvestorView }) {
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
          <li key={user_pubkey} className="py-2.5">
            <Copyable value={user_pubkey} what="wallet" compact />
            <LostNote bar={bar} />
            <FreezeNote freezes={freezes} />
            {states.map(({ schema, status, attestation_id }) => (
              <span key={schema} className="mt-1 flex flex-wrap items-center justify-between gap-x-3 text-[13px]">
                <To path={["attestations", attestation_id]} className="wrap-anywhere hover:underline">
                  {schema}
                </To>
                <StatusBadge status={status} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}

/** How earlier reviews of the person ended. Shows nothing if there were none. */
function Earlier({ investorId }: { investorId: string }) {
  const { data } = useQuery("review.list", { investor: investorId, state: "closed" })
  if (!data || data.data.length === 0) return null
  return (
    <Card title="Earlier decisions">
      <ul className="-my-2.5 divide-y divide-line">
        {data.data.slice(0, EARLIER).map((review) => (
          <li key={review.review_id} className="py-2.5">
            <To path={["reviews", review.review_id]} className="font-medium hover:underline">
              {review.decision ? reviewDecisions[review.decision].past : review.ending && reviewEndings[review.ending]}
            </To>
            <span className="block text-[13px] text-muted">
              {headlineOf(review)}, {review.closed_at ? <Timestamp at={review.closed_at} /> : NOTHING}
              {review.decided_by && ` by ${review.decided_by.name}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
