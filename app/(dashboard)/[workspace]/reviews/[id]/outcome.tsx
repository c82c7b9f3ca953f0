import { useMe, usePath } from "#app/(dashboard)/workspace.tsx"
import { Facts } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { reviewDecisions } from "#shared/review-decisions.ts"
import { reviewEndings } from "#shared/reviews.ts"
import { publicReasonCopy } from "../../attestations/reason-fields.tsx"
import { ShownClaims } from "./claims.tsx"
import type { Review } from "./review.ts"

/** A decision that waits. Members approve or reject it on the approval's page, where its requester withdraws it. */
export function Requested({ review }: { review: Review }) {
  const { decision, reason, public_reason, requested_by, approval_id, moments } = review
  const { data: me } = useMe()
  const path = usePath()
  if (decision === null) return null
  const isOwn = requested_by?.id === me?.user.id
  const asked = moments.findLast(({ event }) => event === "review.requested")
  return (
    <>
      <p className="mb-3">
        {isOwn
          ? "You asked for this decision. Another member must approve it."
          : `${requested_by?.name ?? "A former member"} asked for this decision.`}
      </p>
      <Facts
        facts={{
          Decision: reviewDecisions[decision].label,
          Requested: asked && <Timestamp at={asked.at} />,
          "Internal reason": reason,
          "Reason shown to the investor": public_reason && publicReasonCopy[public_reason],
          Claims: decision === "approve" && <ShownClaims review={review} />,
        }}
      />
      {approval_id && (
        <Link href={path("approvals", approval_id)} prefetch={false} className={buttonLook({ className: "mt-4" })}>
          Open the request
        </Link>
      )}
    </>
  )
}

export function Outcome({ review }: { review: Review }) {
  const { ending, decision, reason, public_reason, decided_by, requested_by, closed_at } = review
  return (
    <Facts
      facts={{
        Outcome: ending === "decided" && decision ? reviewDecisions[decision].past : ending && reviewEndings[ending],
        "Requested by": ending === "decided" && requested_by?.name,
        "Decided by": ending === "decided" && (decided_by?.name ?? "A former member"),
        Closed: closed_at && <Timestamp at={closed_at} />,
        "Assigned to": review.assignee?.name,
        "Internal reason": reason,
        "Reason shown to the investor": public_reason && publicReasonCopy[public_reason],
      }}
    />
  )
}
