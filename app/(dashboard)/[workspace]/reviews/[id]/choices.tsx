import { clsx } from "clsx"
import { KeyHint } from "#app/(dashboard)/page-keys.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"
import { SCREENING } from "#shared/reviews.ts"
import type { Review } from "./review.ts"

/** Frequent reasons, offered below each decision. Those about a match do not fit a document, and the other way round. */
const suggestions = {
  approve: ["Document accepted", "False positive", "Different person"],
  request_resubmission: ["Document unreadable", "Document expired", "Details differ"],
  reject: ["Match confirmed", "Document not accepted", "Details differ"],
  keep_rejected: ["Match confirmed", "Document not accepted"],
  clear: ["False positive", "Different person"],
  revoke: ["Match confirmed"],
} as const satisfies Record<ReviewDecision, readonly string[]>

const allSuggestions: readonly string[] = Object.values(suggestions).flat()

const OF_MATCHES: ReadonlySet<string> = new Set(["False positive", "Different person", "Match confirmed"])
const DOCUMENT = /document|passport|licen[cs]e|selfie|photo|address|signature/i

/** The frequent reasons that fit what the vendor said. If it said neither kind of thing, all of them. */
export function suggestionsFor(decision: ReviewDecision, said: string | null): readonly string[] {
  const isMatch = said !== null && SCREENING.test(said)
  const isDocument = said !== null && !isMatch && DOCUMENT.test(said)
  const fitting = suggestions[decision].filter((one) => !(isDocument && OF_MATCHES.has(one)))
  const ofMatches = fitting.filter((one) => OF_MATCHES.has(one))
  return isMatch && ofMatches.length > 0 ? ofMatches : fitting
}

/** The decisions that each key chooses. A review offers at most one of each. */
export const decisionKeys: readonly (readonly [key: string, decisions: readonly ReviewDecision[]])[] = [
  ["a", ["approve", "clear"]],
  ["r", ["reject", "revoke", "keep_rejected"]],
]

const keyOf = (decision: ReviewDecision) => decisionKeys.find(([, decisions]) => decisions.includes(decision))?.[0]

type ChoicesProps = {
  review: Review
  chosen: ReviewDecision | null
  onChoose: (decision: ReviewDecision, reason: string | null) => void
}

/**
 * The decisions, each with its frequent reasons. A reason chooses its decision, too, so that a case takes two clicks: the
 * reason, and the button that confirms. A double click on a reason only chooses. Once one is chosen, the others give up
 * their place to the form.
 */
export const Choices = ({ review, chosen, onChoose }: ChoicesProps) => {
  const isFolded = chosen !== null && review.decisions.includes(chosen)
  const reasons = (decision: ReviewDecision) =>
    review.kind !== "limit" && (
      <Reasons of={decision} said={review.said} onChoose={(reason) => onChoose(decision, reason)} />
    )
  return (
    <fieldset aria-label="Decision" className={isFolded ? "flex flex-wrap gap-2" : "grid gap-3"}>
      {review.decisions.map((decision) => (
        <div key={decision} className={isFolded ? "contents" : "grid gap-1.5"}>
          <Button
            size={isFolded ? "sm" : "md"}
            variant={!isFolded && isPositive(decision) ? "primary" : "outline"}
            aria-pressed={chosen === decision}
            aria-keyshortcuts={keyOf(decision)}
            className={clsx(
              "aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent",
              isGrave(decision) && "not-aria-pressed:text-danger!",
            )}
            onClick={() => onChoose(decision, null)}
          >
            {reviewDecisions[decision].label}
            <KeyHint of={keyOf(decision)} />
          </Button>
          {!isFolded && reasons(decision)}
        </div>
      ))}
      {isFolded && reasons(chosen)}
    </fieldset>
  )
}

const isPositive = (decision: ReviewDecision): boolean => decision === "approve" || decision === "clear"

export const isGrave = (decision: ReviewDecision): boolean => decision === "reject" || decision === "revoke"

type ReasonsProps = { of: ReviewDecision; said: string | null; onChoose: (reason: string) => void }

const Reasons = ({ of, said, onChoose }: ReasonsProps) => (
  <fieldset
    aria-label={`${reviewDecisions[of].label}: suggested reasons`}
    className="flex basis-full flex-wrap items-center gap-1.5"
  >
    <span aria-hidden="true" className="text-xs text-muted">
      Reasons:
    </span>
    {suggestionsFor(of, said).map((reason) => (
      <Button key={reason} size="xs" onClick={() => onChoose(reason)}>
        {reason}
      </Button>
    ))}
  </fieldset>
)

/** Enters a suggested reason. It replaces another suggestion, and follows what the member wrote. */
export function enterReason(field: HTMLTextAreaElement, reason: string): void {
  const written = field.value.trim()
  const isReplaced = written === "" || allSuggestions.includes(written)
  field.setRangeText(isReplaced ? reason : `${written}. ${reason}`, 0, field.value.length, "end")
  // As if it was typed, because the form listens.
  field.dispatchEvent(new Event("input", { bubbles: true }))
  field.focus({ preventScroll: true })
  field.scrollIntoView({ block: "nearest" })
}
