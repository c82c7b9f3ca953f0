import { useState } from "react"
import { Moment, Timeline } from "#app/(dashboard)/detail-page.tsx"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Form, Submit, TextareaField } from "#app/components/form.tsx"
import { isReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"
import { findings, reviewEndings } from "#shared/reviews.ts"
import type { Review } from "./review.ts"

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

/** Newest first. Moments have no reasons, so that of the decision comes from the review. */
export function History({ review: { moments, reason } }: { review: Review }) {
  const decision = moments.findLast(({ event }) => event === "review.decided" || event === "review.requested")
  return (
    <Timeline className="mt-5 space-y-5">
      {moments
        .map((moment, n) => (
          <Moment
            // biome-ignore lint/suspicious/noArrayIndexKey: moments are only ever added at the end
            key={n}
            dot={moment.event === "review.decided" ? "bg-accent" : undefined}
            what={wordsOf(moment)}
            at={moment.at}
            more={moment.by.kind === "user" && ` by ${moment.by.name}`}
          >
            {moment.text && <p className="mt-0.5 break-words">{moment.text}</p>}
            {moment === decision && reason && <p className="mt-0.5 break-words">{reason}</p>}
            {Array.isArray(moment.detail.claims_entered) && (
              <p className="mt-0.5 text-[13px] text-muted">
                Claims entered by hand: {moment.detail.claims_entered.join(", ").replaceAll("_", " ")}
              </p>
            )}
          </Moment>
        ))
        .toReversed()}
    </Timeline>
  )
}

export function AddNote({ reviewId: review_id }: { reviewId: string }) {
  // Saving a note empties the form.
  const [written, setWritten] = useState(0)
  const note = useMutation((api, text: string) => api.review.note.mutate({ review_id, text }))
  return (
    <Form
      key={written}
      className="border-b border-line pb-5"
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
        rows={2}
      />
      <Submit size="sm" variant="outline">
        Add note
      </Submit>
    </Form>
  )
}
