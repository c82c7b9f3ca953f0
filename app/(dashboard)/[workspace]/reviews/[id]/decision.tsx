import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react"
import { usePageKeys } from "#app/(dashboard)/page-keys.tsx"
import { useMe, useMutation, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { Form, Submit } from "#app/components/form.tsx"
import { Card, Loading } from "#app/components/frame.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { useWhenIdle } from "#app/components/use-when-idle.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"
import { headlineOf } from "#shared/reviews.ts"
import { ReasonFields, reasonsIn } from "../../attestations/reason-fields.tsx"
import { Assignee } from "./assignee.tsx"
import { Choices, decisionKeys, enterReason, isGrave } from "./choices.tsx"
import { rememberDecision } from "./decided.tsx"
import { claimsOf } from "./entered-claims.ts"
import { clearing, isDecisionOf, type Review } from "./review.ts"

// Shown once the page is scrolled, on phones.
const ChoiceBar = lazy(async () => ({ default: (await import("./choice-bar.tsx")).ChoiceBar }))
// Loaded once a member approves. Until then the approval keeps the provider's claims, as it does without a change.
const ApprovalClaims = lazy(async () => ({ default: (await import("./claims.tsx")).ApprovalClaims }))
// Loaded when the page is idle, because it follows the decision.
const loadNextCase = () => import("./next-case.tsx")
const NextCase = lazy(async () => ({ default: (await loadNextCase()).NextCase }))
// Most reviews that are opened are open.
const Outcome = lazy(async () => ({ default: (await import("./outcome.tsx")).Outcome }))
const Requested = lazy(async () => ({ default: (await import("./outcome.tsx")).Requested }))

/** What each decision does, shown before the member decides. */
const consequences = {
  approve: "The wallet is verified, and its credential is issued on chain within seconds.",
  request_resubmission: "The investor is asked to submit again. The review closes.",
  reject: "The session closes and nothing is issued on chain. It no longer counts against your quota.",
  keep_rejected: "The verification stays rejected. The review closes.",
  clear: "The person’s verifications stay unchanged. The review closes.",
  revoke:
    "All verifications that this review is about end: open sessions close, and credentials are destroyed on chain within seconds. You cannot undo this.",
} as const satisfies Record<ReviewDecision, string>

function consequenceOf(review: Review, decision: ReviewDecision): string {
  if (review.kind === "screening" && decision === "clear") return clearing(review)
  if (review.kind === "limit")
    return "The investor keeps all tokens. Mints and transfers to them stay refused while they are above the limit. The review closes."
  if (review.kind === "reversal" && decision === "approve")
    return "The rejected verification stays unchanged. A new one is approved for the wallet, its credential is issued on chain within seconds, and it counts against this month’s quota."
  return consequences[decision]
}

const confirmations = {
  approve: "Confirm approval",
  request_resubmission: "Confirm request",
  reject: "Confirm rejection",
  keep_rejected: "Confirm rejection",
  clear: "Confirm clearing",
  revoke: "Confirm revocation",
} as const satisfies Record<ReviewDecision, string>

const defaults: Partial<Record<ReviewDecision, PublicReason>> = { request_resubmission: "resubmit" }

/** The decision, its request or its outcome. After the member's own decision it leads to the next case. */
export function Decision({ review }: { review: Review }) {
  const { state, decisions } = review
  const [wasOpen] = useState(state === "open")
  const [chosen, setChosen] = useState<ReviewDecision | null>(null)
  const [suggested, setSuggested] = useState<Suggested | null>(null)
  const [isDecidedHere, setDecidedHere] = useState(false)
  /** The reason that is written and not sent. */
  const [unsent, setUnsent] = useState("")
  const { data: me } = useMe()
  useWhenIdle(loadNextCase)
  const isLost = unsent.trim() !== "" && !(me && isDecisionOf(me.user.id, unsent, review))
  function choose(decision: ReviewDecision | null, reason: string | null = null) {
    setChosen(decision)
    setSuggested(reason === null ? null : { reason })
  }
  usePageKeys(
    Object.fromEntries(
      decisionKeys.map(([key, among]) => {
        const decision = decisions.find((one) => among.includes(one))
        return [key, () => decision && choose(decision)]
      }),
    ),
  )
  if (decisions.length > 0) {
    return (
      <Card title="Decision">
        {review.approvals_needed > 0 && (
          <p className="mb-3 text-muted">Your decision takes effect once {others(review)} approved it.</p>
        )}
        <Choices review={review} chosen={chosen} onChoose={choose} />
        {chosen === null && (
          <Suspense>
            <ChoiceBar decisions={decisions} onChoose={choose} />
          </Suspense>
        )}
        {chosen !== null && decisions.includes(chosen) && (
          <Decide
            review={review}
            decision={chosen}
            suggested={suggested}
            onWrite={setUnsent}
            onCancel={() => choose(null)}
            onDecided={() => setDecidedHere(true)}
          />
        )}
        <Assignee review={review} />
      </Card>
    )
  }
  return (
    <Card title={state === "closed" ? "Outcome" : "Decision"}>
      {isLost && <Overtaken unsent={unsent} />}
      {state === "closed" ? (
        <Suspense fallback={<Loading what="Loading the outcome" />}>
          <Outcome review={review} />
        </Suspense>
      ) : state === "requested" ? (
        <Suspense fallback={<Loading what="Loading the request" />}>
          <Requested review={review} />
        </Suspense>
      ) : (
        <p className="text-muted">The session has closed: nothing is left to decide.</p>
      )}
      <Suspense>{wasOpen && <NextCase reviewId={review.review_id} opens={isDecidedHere} />}</Suspense>
      <Assignee review={review} />
    </Card>
  )
}

/** Shown if the review closed while the member was writing a reason, which would otherwise be lost. */
const Overtaken = ({ unsent }: { unsent: string }) => (
  <div role="status" className="mb-4 rounded-lg bg-notice-soft px-3 py-2.5 text-sm">
    <p>This was decided while you were writing. Your reason was not sent. Add it as a note to keep it:</p>
    <p className="mt-1 wrap-anywhere whitespace-pre-wrap">“{unsent}”</p>
  </div>
)

const others = ({ approvals_needed: needed }: Review): string =>
  needed === 1 ? "another member has" : `${needed} other members have`

/** A frequent reason that was clicked: a new object for each click. */
type Suggested = { reason: string }

type DecideProps = {
  review: Review
  decision: ReviewDecision
  suggested: Suggested | null
  onWrite: (reason: string) => void
  onCancel: () => void
  onDecided: () => void
}

/** The reason, next to the evidence. It stays when another decision is chosen, and when sending fails. */
function Decide({ review, decision, suggested, onWrite, onCancel, onDecided }: DecideProps) {
  const { review_id, version } = review
  const needsApproval = review.approvals_needed > 0
  const { showsReason } = reviewDecisions[decision]
  const place = useRef<HTMLDivElement>(null)
  /** What the member decides on. Something found since is sent only once they have looked at it. */
  const [seen, setSeen] = useState(version)
  const refresh = useRefresh()
  const decide = useMutation(
    (api, values: FormData) =>
      api.review.decide.mutate({
        review_id,
        version: seen,
        decision,
        ...reasonsIn(values),
        claims: decision === "approve" ? claimsOf(values) : null,
      }),
    { refresh: false },
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when another decision is chosen
  useEffect(() => {
    place.current?.querySelector("textarea")?.focus({ preventScroll: true })
    // The button that confirms is in view, so that the next click can be on it.
    place.current?.scrollIntoView({ block: "nearest" })
  }, [decision])
  useEffect(() => {
    const field = place.current?.querySelector("textarea")
    if (field && suggested) enterReason(field, suggested.reason)
  }, [suggested])

  function press(event: KeyboardEvent<HTMLFormElement>) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && version === seen)
      event.currentTarget.requestSubmit()
    // Leaves the field, so that the keys of the page work again.
    if (event.key === "Escape") (event.target as HTMLElement).blur()
  }
  async function submit(values: FormData) {
    try {
      await decide.mutateAsync(values)
    } catch (error) {
      // Another member may have decided, or something new was found.
      void refresh()
      throw error
    }
    onWrite("")
    rememberDecision(review, decision)
    onDecided()
    await refresh()
  }
  return (
    <div ref={place} className="mt-4 border-t border-line pt-4">
      <Form onSubmit={submit} onKeyDown={press} onChange={(event) => onWrite(reasonIn(event.currentTarget))}>
        {version !== seen && (
          <div role="status" className="space-y-2 rounded-lg bg-notice-soft px-3 py-2.5 text-sm">
            <p>This review changed while you were writing. Newest finding: {headlineOf(review)}.</p>
            <Button size="sm" onClick={() => setSeen(version)}>
              I have looked at it
            </Button>
          </div>
        )}
        <p className="text-[13px] text-muted">
          {consequenceOf(review, decision)}
          {needsApproval && ` It happens once ${others(review)} approved it.`}
        </p>
        <ReasonFields
          publicReason={showsReason ? (defaults[decision] ?? "unverifiable") : null}
          hint={
            isGrave(decision)
              ? "Visible to your team and your API keys, never to the investor."
              : "Visible to people who decide reviews, never to the investor."
          }
        />
        <Suspense>{decision === "approve" && <ApprovalClaims review={review} />}</Suspense>
        <div className="flex flex-wrap items-center gap-2 bg-surface lg:sticky lg:bottom-0 lg:-mx-5 lg:px-5 lg:py-3">
          <Submit
            variant={isGrave(decision) ? "danger" : "primary"}
            aria-keyshortcuts="Meta+Enter Control+Enter"
            disabled={version !== seen}
          >
            {needsApproval ? "Ask for approval" : confirmations[decision]}
          </Submit>
          <Button
            variant="ghost"
            onClick={() => {
              onWrite("")
              onCancel()
            }}
          >
            Cancel
          </Button>
          <span aria-hidden="true" className="text-xs text-muted pointer-coarse:hidden">
            Ctrl ↵ confirms
          </span>
        </div>
      </Form>
    </div>
  )
}

const reasonIn = (form: HTMLFormElement): string => String(new FormData(form).get("reason") ?? "")
