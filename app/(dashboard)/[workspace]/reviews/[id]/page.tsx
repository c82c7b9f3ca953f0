"use client"

import { useParams, useRouter } from "next/navigation.js"
import { useId, useState } from "react"
import { DetailPage, Moment, Timeline, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { usePageKeys } from "#app/(dashboard)/page-keys.ts"
import { To, useMe, useMutation, usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Form, Submit, TextareaField } from "#app/components/form.tsx"
import { Card, Facts } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Refused } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Select } from "#app/components/ui/input.tsx"
import { findings, isReviewDecision, reviewDecisions, reviewEndings, reviewKinds } from "#shared/reviews.ts"
import { publicReasonCopy } from "../../attestations/reason-fields.tsx"
import { ReviewBadge } from "../review-badge.tsx"
import { Decision } from "./decision.tsx"
import { Person } from "./person.tsx"
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

/** One review: the decision and what it is about, and beside them the person. */
function Case({ review }: { review: Review }) {
  const { can } = useWorkspace()
  const [wasOpen] = useState(review.state !== "closed")
  return (
    <TwoColumns
      wide={
        <>
          {review.state === "closed" ? (
            <Card title="Outcome">
              <Outcome review={review} />
              {wasOpen && <NextCase reviewId={review.review_id} />}
            </Card>
          ) : (
            <Card title="Decision">
              <Decision review={review} />
            </Card>
          )}
          <Card title="About">
            <About review={review} />
          </Card>
          {review.ending !== "erased" && <Notes review={review} />}
        </>
      }
      narrow={
        <>
          {review.investor_id !== null && can("attestation:read") && <Person investorId={review.investor_id} />}
          <Card title="History">
            <History moments={review.moments} />
          </Card>
        </>
      }
    />
  )
}

const useNeighbours = (reviewId: string) => useQuery("review.neighbours", { review_id: reviewId }, { keep: true })

/** The reviews before and after this one in the queue, also by J and K. */
function Neighbours({ reviewId }: { reviewId: string }) {
  const { data } = useNeighbours(reviewId)
  const path = usePath()
  const router = useRouter()
  const to = (id: string | null | undefined) => () => {
    if (id) router.push(path("reviews", id))
  }
  usePageKeys({ j: to(data?.next), k: to(data?.previous) })
  if (!data) return null
  return (
    <nav aria-label="Queue" className="flex gap-2">
      {data.previous && (
        <Link href={path("reviews", data.previous)} aria-keyshortcuts="k" title="K" className={buttonLook()}>
          Previous
        </Link>
      )}
      {data.next && (
        <Link href={path("reviews", data.next)} aria-keyshortcuts="j" title="J" className={buttonLook()}>
          Next
        </Link>
      )}
    </nav>
  )
}

/** Where to go on after a decision. It has the focus, so that Enter opens it. */
function NextCase({ reviewId }: { reviewId: string }) {
  const { data } = useNeighbours(reviewId)
  const path = usePath()
  if (!data) return null
  if (data.next === null) return <p className="mt-4 text-muted">No other review waits.</p>
  return (
    <Link
      ref={focus}
      href={path("reviews", data.next)}
      className={buttonLook({ variant: "primary", className: "mt-4" })}
    >
      Next case ({data.waiting === MOST_COUNTED ? `${data.waiting} or more` : data.waiting} left)
    </Link>
  )
}

const focus = (link: HTMLAnchorElement | null) => link?.focus()

/** The server counts no further. */
const MOST_COUNTED = 100

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
          Reported: review.said !== null && headlineOf(review) !== review.said && review.said,
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

/** Who the review is assigned to. Members who decide reviews can take it or assign it to each other. */
function Assignee({ review: { review_id, assignee, state } }: { review: Review }) {
  const id = useId()
  const { data: me } = useMe()
  const reviewers = useQuery("review.reviewers", {})
  const assign = useMutation((api, to: string | null) => api.review.assign.mutate({ review_id, assignee: to }))
  if (state === "closed") return <>{assignee?.name ?? "No one"}</>
  const people = reviewers.data?.data ?? []
  // A member who may no longer decide stays named until another member takes it.
  const isGone = assignee !== null && !people.some(({ user_id }) => user_id === assignee.id)
  return (
    <span className="flex flex-wrap items-center gap-2">
      <label htmlFor={id} className="sr-only">
        Assigned to
      </label>
      <Select
        id={id}
        className="w-64 max-w-full"
        value={assignee?.id ?? ""}
        disabled={assign.isPending}
        onChange={({ target }) => assign.mutate(target.value || null)}
        options={people.map(
          ({ user_id, name }) => [user_id, user_id === me?.user.id ? `${name} (you)` : name] as const,
        )}
      >
        <option value="">No one</option>
        {isGone && <option value={assignee.id}>{assignee.name}</option>}
      </Select>
      {me && assignee?.id !== me.user.id && (
        <Button size="sm" pending={assign.isPending} onClick={() => assign.mutate(me.user.id)}>
          Assign to me
        </Button>
      )}
    </span>
  )
}

type ReviewMoment = Review["moments"][number]

function wordsOf({ event, finding, detail }: ReviewMoment): string {
  const decision = isReviewDecision(detail.decision) ? reviewDecisions[detail.decision] : null
  switch (event) {
    case "found":
      return finding ? findings[finding] : "Found"
    case "noted":
      return "Note"
    case "review.assigned":
      return typeof detail.assignee === "string" ? `Assigned to ${detail.assignee}` : "Assigned to no one"
    case "review.requested":
      return `Approval requested: ${decision?.label ?? "a decision"}`
    case "review.request_withdrawn":
    case "approval.withdrawn":
      return "Request withdrawn"
    case "review.returned":
    case "approval.rejected":
      return "Request rejected"
    case "approval.given":
      return "Approved by one member; more must approve"
    case "approval.approved":
      return "Approved by another member"
    case "approval.void":
      return "Request void: something has changed since"
    case "review.request_voided":
      return "Request cancelled: something new was found"
    case "review.decided":
      return decision?.past ?? "Decided"
    case "review.closed":
      return reviewEndings[detail.ending as keyof typeof reviewEndings] ?? "Closed"
    default:
      return event
  }
}

const History = ({ moments }: { moments: readonly ReviewMoment[] }) => (
  <Timeline>
    {moments.map((moment, n) => (
      <Moment
        // biome-ignore lint/suspicious/noArrayIndexKey: moments are only ever added at the end
        key={n}
        dot={moment.event === "review.decided" ? "bg-accent" : undefined}
        what={wordsOf(moment)}
        at={moment.at}
        more={moment.by.kind === "user" && ` by ${moment.by.name}`}
      >
        {moment.text && <p className="mt-0.5 break-words">{moment.text}</p>}
        {Array.isArray(moment.detail.claims_entered) && (
          <p className="mt-0.5 text-[13px] text-muted">
            Claims entered by hand: {moment.detail.claims_entered.join(", ").replaceAll("_", " ")}
          </p>
        )}
      </Moment>
    ))}
  </Timeline>
)

function Notes({ review: { review_id } }: { review: Review }) {
  // Saving a note empties the form.
  const [written, setWritten] = useState(0)
  const note = useMutation((api, text: string) => api.review.note.mutate({ review_id, text }))
  return (
    <Card title="Add a note">
      <Form
        key={written}
        onSubmit={async (values) => {
          await note.mutateAsync(String(values.get("text")).replaceAll(/\s+/g, " ").trim())
          setWritten((count) => count + 1)
        }}
      >
        <TextareaField
          name="text"
          label="Note"
          hint="Visible to people who decide reviews. It cannot be changed, and is erased with the investor's data."
          required
          maxLength={2000}
          rows={3}
        />
        <Submit variant="outline">Add note</Submit>
      </Form>
    </Card>
  )
}
