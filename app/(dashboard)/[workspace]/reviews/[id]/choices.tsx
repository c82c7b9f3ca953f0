import { useEffect, useRef, useState } from "react"
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
 * reason, and the button that confirms. A double click on a reason only chooses.
 */
export const Choices = ({ review, chosen, onChoose }: ChoicesProps) => (
  <fieldset aria-label="Decision" className="grid gap-3">
    {review.decisions.map((decision) => {
      const { label } = reviewDecisions[decision]
      return (
        <div key={decision} className="grid gap-1.5">
          <Button
            aria-pressed={chosen === decision}
            aria-keyshortcuts={keyOf(decision)}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => onChoose(decision, null)}
          >
            {label}
            <KeyHint of={keyOf(decision)} />
          </Button>
          {review.kind !== "limit" && (
            <fieldset aria-label={`${label}: suggested reasons`} className="flex flex-wrap gap-1.5">
              {suggestionsFor(decision, review.said).map((reason) => (
                <Button key={reason} size="xs" onClick={() => onChoose(decision, reason)}>
                  {reason}
                </Button>
              ))}
            </fieldset>
          )}
        </div>
      )
    })}
  </fieldset>
)

type ChoiceBarProps = { decisions: readonly ReviewDecision[]; onChoose: (decision: ReviewDecision) => void }

/** On a phone, where the decision comes after the evidence: its buttons at the bottom of the screen, until it is in view. */
export function ChoiceBar({ decisions, onChoose }: ChoiceBarProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isNeeded, setNeeded] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(([seen]) => setNeeded(!seen!.isIntersecting))
    observer.observe(place.current!.parentElement!)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} className="lg:hidden">
      {isNeeded && (
        <div className="fixed inset-x-0 bottom-0 z-20 flex flex-wrap gap-2 border-t border-line bg-surface px-4 py-3 shadow-card">
          {decisions.map((decision) => (
            <Button key={decision} size="sm" className="flex-auto" onClick={() => onChoose(decision)}>
              {reviewDecisions[decision].label}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** Enters a suggested reason. It replaces another suggestion, and follows what the member wrote. */
export function enterReason(field: HTMLTextAreaElement, reason: string): void {
  const written = field.value.trim()
  const isReplaced = written === "" || allSuggestions.includes(written)
  field.setRangeText(isReplaced ? reason : `${written}. ${reason}`, 0, field.value.length, "end")
  // As if it was typed, because the form listens.
  field.dispatchEvent(new Event("input", { bubbles: true }))
  field.focus()
}
