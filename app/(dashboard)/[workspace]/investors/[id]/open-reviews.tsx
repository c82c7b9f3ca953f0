import { ReviewBadge } from "#app/(dashboard)/[workspace]/reviews/review-badge.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Notice } from "#app/components/notice.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { reviewKinds } from "#shared/reviews.ts"

type Reviews = RouterOutputs["review"]["list"]

/** The reviews of an investor that wait for a decision. Shows nothing if none do. */
export function OpenReviews({ reviews: { data, next_cursor } }: { reviews: Reviews }) {
  if (data.length === 0) return null
  const counted = `${data.length}${next_cursor === null ? "" : "+"}`
  return (
    <Notice title={counted === "1" ? "1 review needs a decision" : `${counted} reviews need a decision`}>
      <ul className="mt-1.5 space-y-1">
        {data.map((review) => (
          <li key={review.review_id} className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-[13px]">
            <To path={["reviews", review.review_id]} className="rounded-sm font-medium underline underline-offset-2">
              {reviewKinds[review.kind].label}
            </To>
            {review.wallet && <Shortened value={review.wallet} />}
            <span>
              opened <Ago at={review.opened_at} />
            </span>
            {review.state === "requested" && <ReviewBadge review={review} />}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
