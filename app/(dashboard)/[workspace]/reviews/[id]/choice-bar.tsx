import { useEffect, useRef, useState } from "react"
import { Button } from "#app/components/ui/button.tsx"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"

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
