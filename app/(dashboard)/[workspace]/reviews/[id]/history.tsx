import { clsx } from "clsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { findings, isReviewDecision, reviewDecisions, reviewEndings } from "#shared/reviews.ts"
import type { Review } from "./review.ts"

type Moment = Review["moments"][number]

/** An entry of the history in words. */
function wordsOf({ event, finding, detail }: Moment): string {
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
export function History({ moments }: { moments: readonly Moment[] }) {
  return (
    <ol className="space-y-5 border-l border-line pl-5">
      {moments.map((moment, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: moments are only ever added at the end
        <li key={n} className="relative">
          <span
            aria-hidden="true"
            className={clsx(
              "absolute top-1.5 -left-[1.5625rem] size-2 rounded-full ring-4 ring-surface",
              moment.event === "review.decided" ? "bg-accent" : "bg-field",
            )}
          />
          <p className="font-medium">{wordsOf(moment)}</p>
          <p className="text-[13px] text-muted">
            <Timestamp at={moment.at} />
            {moment.by.kind === "user" && ` by ${moment.by.name}`}
          </p>
          {moment.text && <p className="mt-0.5 break-words">{moment.text}</p>}
          {Array.isArray(moment.detail.claims_entered) && (
            <p className="mt-0.5 text-[13px] text-muted">
              Claims entered by hand: {moment.detail.claims_entered.join(", ").replaceAll("_", " ")}
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
