"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Card } from "#app/components/frame.tsx"
import { Refused } from "#app/components/problem.ts"
import { reviewKinds } from "#shared/reviews.ts"
import { ReviewBadge } from "../review-badge.tsx"
import { About } from "./about.tsx"
import { Context } from "./context.tsx"
import { Decision } from "./decision.tsx"
import { AddNote, History } from "./history.tsx"
import { Neighbours } from "./queue.tsx"
import { headlineOf, type Review } from "./review.ts"

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
      {...(!mayReview && { missing: NOT_YOURS })}
      head={(review) => ({
        heading: headlineOf(review),
        badge: <ReviewBadge review={review} />,
        description: reviewKinds[review.kind].summary,
        actions: <Neighbours reviewId={review.review_id} />,
      })}
    >
      {(review) => <Case key={review.review_id} review={review} />}
    </DetailPage>
  )
}

/** One review: the evidence, and next to it the decision. */
const Case = ({ review }: { review: Review }) => (
  <TwoColumns
    acts
    wide={
      <>
        <Card title="Case">
          <About review={review} />
        </Card>
        <Context review={review}>
          <Card title="History">
            <History moments={review.moments} />
            {review.ending !== "erased" && <AddNote reviewId={review.review_id} />}
          </Card>
        </Context>
      </>
    }
    narrow={<Decision review={review} />}
  />
)

const NOT_YOURS = {
  code: "refused",
  title: "Your role does not include reviews",
  text: "Owners and compliance officers decide them. An owner can change your role in Settings.",
}
