import { type ReactNode, useEffect, useState } from "react"
import { Shortened } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { createStore } from "#app/components/store.ts"
import type { ReviewDecision } from "#shared/review-decisions.ts"
import { headlineOf } from "#shared/reviews.ts"
import { shownName } from "#shared/visible.ts"
import { type Review, subjectOf } from "./review.ts"

/** What a member did, before the name of the person. */
const acts = {
  approve: "Approved",
  request_resubmission: "Requested resubmission from",
  reject: "Rejected",
  keep_rejected: "Kept the rejection of",
  clear: "Cleared",
  revoke: "Revoked",
} as const satisfies Record<ReviewDecision, string>

type Decided = {
  review: Pick<Review, "review_id" | "external_id" | "wallet" | "investor_id">
  act: string
  /** The case that shows it, which is the first one opened after it. */
  shownOn: string | null
}

/** The member's last decision. */
const last = createStore<Decided | null>(null)

export const rememberDecision = (review: Review, decision: ReviewDecision): void =>
  last.set({
    review,
    act: review.approvals_needed > 0 ? `Asked to approve “${acts[decision]}” for` : acts[decision],
    shownOn: null,
  })

/** On the case that follows a decision: what was decided, with a link back. The heading gets the focus. */
export function JustDecided({ review, pathTo }: { review: Review; pathTo: (id: string) => string }) {
  const { review_id } = review
  const decided = last.use()
  const isShown =
    decided !== null && decided.review.review_id !== review_id && (decided.shownOn ?? review_id) === review_id
  const isNew = isShown && decided.shownOn === null
  useEffect(() => {
    if (!isNew) return
    last.set({ ...decided, shownOn: review_id })
    document.querySelector("h1")?.focus({ preventScroll: true })
    window.scrollTo({ top: 0 })
  }, [isNew, decided, review_id])
  return (
    <Announced className={isShown ? "mb-4 rounded-lg bg-accent-soft px-3 py-2 text-sm wrap-anywhere" : "sr-only"}>
      {isShown && (
        <>
          {decided.act}{" "}
          <Link
            href={pathTo(decided.review.review_id)}
            prefetch={false}
            className="rounded-sm text-accent underline underline-offset-2"
          >
            {decided.review.external_id === null ? (
              <Shortened value={subjectOf(decided.review)} />
            ) : (
              shownName(decided.review.external_id)
            )}
          </Link>
          . Now: {headlineOf(review)}
        </>
      )}
    </Announced>
  )
}

/** Text that screen readers announce. They announce only what changes, so it is empty at first. */
export function Announced({ className, children }: { className?: string; children: ReactNode }) {
  const [isThere, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return (
    <p role="status" className={className}>
      {isThere && children}
    </p>
  )
}
