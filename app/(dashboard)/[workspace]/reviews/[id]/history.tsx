import { Moment, Timeline } from "#app/(dashboard)/timeline.tsx"
import { findings, isReviewDecision, reviewDecisions, reviewEndings } from "#shared/reviews.ts"
import type { Review } from "./review.ts"

type ReviewMoment = Review["moments"][number]

/** An entry of the history in words. */
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
      return `Confirmation requested: ${decision?.label ?? "a decision"}`
    case "review.request_withdrawn":
      return "Request withdrawn"
    case "review.returned":
      return "Request returned"
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

/** Findings, notes and decisions, oldest first. */
export const History = ({ moments }: { moments: readonly ReviewMoment[] }) => (
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
