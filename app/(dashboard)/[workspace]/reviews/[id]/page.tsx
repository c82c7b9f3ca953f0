"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { To } from "#app/(dashboard)/to.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Refused } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Badge, StatusBadge } from "#app/components/ui/badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { findings, reviewDecisions, reviewEndings, reviewKinds } from "#shared/reviews.ts"
import { publicReasonCopy } from "../../attestations/reason-fields.tsx"
import { ReviewBadge } from "../review-badge.tsx"
import { Assignee } from "./assignee.tsx"
import { Decision } from "./decision.tsx"
import { History } from "./history.tsx"
import { Notes } from "./notes.tsx"
import type { Review } from "./review.ts"

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const { can } = useWorkspace()
  const mayReview = can("review:write")
  const review = useQuery("review.get", { review_id: id }, { enabled: mayReview })
  // A member who lost the right to read reviews must not see what was read before.
  const query = mayReview ? review : { ...review, data: undefined, error: new Refused(NOT_YOURS.text) }
  return (
    <DetailPage
      up={[["reviews"], "Reviews"]}
      name="Review"
      query={query}
      missing={
        mayReview
          ? {
              code: "review_not_found",
              title: "Review not found in this workspace",
              text: "Check the id, or look in the other workspace: test and live are separate.",
            }
          : NOT_YOURS
      }
      head={(review) => ({
        heading: reviewKinds[review.kind].label,
        badge: <ReviewBadge review={review} />,
        description: reviewKinds[review.kind].summary,
      })}
    >
      {(review) => (
        <TwoColumns
          wide={
            <>
              <Card title={review.state === "closed" ? "Outcome" : "Decision"}>
                {review.state === "closed" ? <Outcome review={review} /> : <Decision review={review} />}
              </Card>
              <Card title="About">
                <About review={review} />
              </Card>
              {review.ending !== "erased" && <Notes review={review} />}
            </>
          }
          narrow={
            <Card title="History">
              <History moments={review.moments} />
            </Card>
          }
        />
      )}
    </DetailPage>
  )
}

const NOT_YOURS = {
  code: "refused",
  title: "Your role does not include reviews",
  text: "Owners and compliance officers decide them. An owner can change your role in Settings.",
}

function About({ review }: { review: Review }) {
  const { wallet, investor_id, external_id, opened_at, session_open_until, attestations, review_id } = review
  const removed = review.lists.filter(({ in_use }) => !in_use)
  return (
    <>
      <Facts
        facts={{
          Found: findings[review.finding],
          Lists: review.lists.length > 0 && <Lists of={review.lists} />,
          Wallet: wallet && <Copyable value={wallet} what="wallet" compact />,
          Investor: investor_id && (
            <To path={["investors", investor_id]}>{external_id ?? <Shortened value={investor_id} />}</To>
          ),
          Country: review.country_unknown && (
            <span className="text-notice">
              Unknown: the vendor’s code is not a known country, so country rules refuse the wallet unless you enter
              one.
            </span>
          ),
          "Review id": <Copyable value={review_id} what="review id" compact />,
          Opened: <Timestamp at={opened_at} />,
          "Session closes": session_open_until && <Timestamp at={session_open_until} />,
          "Assigned to": <Assignee review={review} />,
        }}
      />
      {removed.length > 0 && (
        <p className="mt-4 text-[13px] text-notice">
          {removed.map(({ name }) => name).join(", ")}: no longer in use. Mints and transfers of this wallet are not
          refused for it
          {removed.some(({ frozen }) => frozen) ? ", but its tokens stay frozen until you decide." : "."}
        </p>
      )}
      {attestations.length > 0 && (
        <ul aria-label="Verifications" className="mt-4 -mb-2.5 divide-y divide-line border-t border-line">
          {attestations.map(({ attestation_id, schema, status, provider, started_at, wallet: of }) => (
            <li key={attestation_id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
              <span className="min-w-0">
                <To path={["attestations", attestation_id]} className="font-medium text-accent hover:underline">
                  {schema}
                </To>
                {wallet === null && (
                  <span className="block text-muted">
                    <Shortened value={of} />
                  </span>
                )}
                <span className="block text-[13px] text-muted">
                  Checked by {provider}, started <Timestamp at={started_at} />
                </span>
              </span>
              <StatusBadge status={status} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The lists that contain the wallet now. */
const Lists = ({ of }: { of: Review["lists"] }) => (
  <ul>
    {of.map(({ name, in_use, frozen }) => (
      <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
        {name}
        {!in_use && <Badge tone="notice">No longer in use</Badge>}
        {frozen && <Badge>Frozen</Badge>}
      </li>
    ))}
  </ul>
)

function Outcome({ review }: { review: Review }) {
  const { ending, decision, reason, public_reason, decided_by, requested_by, closed_at } = review
  return (
    <Facts
      facts={{
        Outcome: ending === "decided" && decision ? reviewDecisions[decision].past : ending && reviewEndings[ending],
        "Requested by": ending === "decided" && requested_by?.name,
        "Decided by": ending === "decided" && (decided_by?.name ?? "A former member"),
        Closed: closed_at && <Timestamp at={closed_at} />,
        "Internal reason": reason,
        "Reason shown to the investor": public_reason && publicReasonCopy[public_reason],
      }}
    />
  )
}
