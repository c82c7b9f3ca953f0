"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { To, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Card } from "#app/components/frame.tsx"
import { Refused } from "#app/components/problem.ts"
import { Ago, Since, Timestamp } from "#app/components/timestamp.tsx"
import { headlineOf } from "#shared/reviews.ts"
import { shownName } from "#shared/visible.ts"
import { ReviewBadge } from "../review-badge.tsx"
import { Context, usePerson } from "./context.tsx"
import { JustDecided } from "./decided.tsx"
import { Decision } from "./decision.tsx"
import { AddNote, History } from "./history.tsx"
import { Neighbours, useCasePath } from "./queue.tsx"
import type { Review } from "./review.ts"

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const { can } = useWorkspace()
  const casePath = useCasePath()
  const mayReview = can("review:write")
  const review = useQuery("review.get", { review_id: id }, { enabled: mayReview })
  // Read together with what `Context` shows, because on a phone it would push the decision down later.
  const { isLoading } = usePerson(review.data?.investor_id ?? null)
  const loaded = isLoading ? { ...review, data: undefined } : review
  // A member who lost the right to read reviews must not see what was read before.
  const query = mayReview ? loaded : { ...review, data: undefined, error: new Refused(NOT_YOURS.text) }
  return (
    <DetailPage
      up={[["reviews"], "Reviews"]}
      name="Review"
      query={query}
      {...(!mayReview && { missing: NOT_YOURS })}
      head={(review) => ({
        heading: headlineOf(review),
        badge: <ReviewBadge review={review} />,
        description: <Description review={review} />,
        actions: <Neighbours reviewId={review.review_id} />,
      })}
    >
      {(review) => (
        <>
          <JustDecided key={review.review_id} review={review} pathTo={casePath} />
          <Case key={review.review_id} review={review} />
        </>
      )}
    </DetailPage>
  )
}

/** One review: the evidence, and next to it the decision. */
const Case = ({ review }: { review: Review }) => (
  <TwoColumns
    acts
    wide={
      <>
        <Context
          review={review}
          history={
            <Card title="History">
              {review.ending !== "erased" && <AddNote reviewId={review.review_id} />}
              <History review={review} />
            </Card>
          }
        />
        <Bookkeeping review={review} />
      </>
    }
    narrow={<Decision review={review} />}
  />
)

/** Who it is about, what is checked, and how soon it needs a decision. */
function Description({ review }: { review: Review }) {
  const { external_id, investor_id, wallet, schema, state, opened_at, closed_at, session_open_until } = review
  const person = external_id === null ? wallet && <Shortened value={wallet} /> : shownName(external_id)
  const parts = [
    person &&
      (investor_id ? (
        <To path={["investors", investor_id]} className="rounded-sm text-accent underline underline-offset-2">
          {person}
        </To>
      ) : (
        person
      )),
    schema && <SchemaName id={schema} />,
    state === "closed" ? (
      <>
        closed <Ago at={closed_at} />
      </>
    ) : (
      <>
        waiting <Since at={opened_at} />
      </>
    ),
    session_open_until && (
      <>
        closes <Ago at={session_open_until} />
      </>
    ),
  ].filter(Boolean)
  return parts.map((part, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other key
    <span key={n} className="wrap-anywhere">
      {n > 0 && " · "}
      {part}
    </span>
  ))
}

const Bookkeeping = ({ review: { opened_at, wallet, review_id } }: { review: Review }) => (
  <p className="flex flex-wrap items-center gap-x-4 gap-y-1 px-1 text-[13px] text-muted">
    <span>
      Opened <Timestamp at={opened_at} />
    </span>
    {wallet && <Copyable value={wallet} what="wallet" compact />}
    <Copyable value={review_id} what="review id" compact />
  </p>
)

const NOT_YOURS = {
  code: "refused",
  title: "Your role does not include reviews",
  text: "Owners and compliance officers decide them. An owner can change your role in Settings.",
}
