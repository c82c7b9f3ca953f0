"use client"

import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { Icon, type IconName, Spinner } from "#app/components/icons.tsx"
import { PageCard } from "#app/components/ui/card.tsx"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { dropAnswers } from "./answers.ts"
import { copyFor, type Mood } from "./copy.ts"
import { Opening } from "./opening.tsx"
import { Checking, Ended, Failed, HandedOver, Loading, Unknown, Verified } from "./outcomes.tsx"
import { SessionWatch } from "./watch.ts"

/** The hosted page: follows the session, and shows the state that it is in. */
export function Verification({ sessionId }: { sessionId: string }) {
  const [watch] = useState(() => new SessionWatch(sessionId))
  const watched = useSyncExternalStore(watch.subscribe, watch.read, watch.read)
  const { view, lost } = watched
  const { heading, news, mood } = copyFor(watched)
  const headingRef = useRef<HTMLHeadingElement>(null)
  useFocusWhenLost(headingRef, view?.state)
  const isOver = view !== null && !["open", "handed_over", "checking"].includes(view.state)
  useEffect(() => {
    if (isOver) dropAnswers(sessionId)
  }, [isOver, sessionId])

  return (
    <PageCard badge={view && view.state !== "unknown" && view.mode === "test" ? <TestMode /> : null}>
      <title>{`${heading} · Vouch`}</title>
      <p role="status" className="sr-only">
        {news}
      </p>
      <Emblem mood={mood} />
      {/* Between two outcomes the heading stays the same element, so that focus on it survives the change. */}
      <h1
        key={mood === "asking" ? "form" : "outcome"}
        ref={headingRef}
        tabIndex={-1}
        className={mood === "loading" ? "sr-only" : "text-2xl leading-tight font-semibold tracking-tight"}
      >
        {heading}
      </h1>
      {view === null ? lost ? <Failed onRetry={watch.look} /> : <Loading /> : null}
      {view && <State view={view} lost={lost} sessionId={sessionId} onAnswer={(next) => watch.take(next)} />}
      <noscript>
        <p className="mt-4">This page needs JavaScript. Turn it on and reload the page.</p>
      </noscript>
    </PageCard>
  )
}

function State({
  view,
  lost,
  sessionId,
  onAnswer,
}: {
  view: SessionView
  lost: boolean
  sessionId: string
  onAnswer: (view: SessionView) => void
}) {
  switch (view.state) {
    case "unknown":
      return <Unknown />
    case "open":
      return <Opening view={view} sessionId={sessionId} onAnswer={onAnswer} />
    case "handed_over":
      return <HandedOver view={view} lost={lost} sessionId={sessionId} onAnswer={onAnswer} />
    case "checking":
      return <Checking view={view} lost={lost} />
    case "verified":
      return <Verified view={view} />
    case "rejected":
    case "expired":
      return <Ended view={view} />
  }
}

/** When a state goes and takes the focus with it, the next one's heading gets it; at the first one nothing moves. */
function useFocusWhenLost(heading: RefObject<HTMLElement | null>, state: string | undefined) {
  const before = useRef<string | undefined>(undefined)
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (before.current !== undefined && before.current !== state && isLost) {
      window.scrollTo(0, 0)
      heading.current?.focus()
    }
    before.current = state
  }, [heading, state])
}

function TestMode() {
  return (
    <span className="rounded-full border border-notice-line bg-notice-soft px-2.5 py-0.5 text-xs font-medium text-notice">
      Test mode
    </span>
  )
}

const looks = {
  working: { icon: null, className: "bg-muted text-surface" },
  good: { icon: "check", className: "bg-accent text-accent-ink" },
  bad: { icon: "cross", className: "bg-danger text-surface" },
  over: { icon: "clock", className: "bg-muted text-surface" },
  unknown: { icon: "question", className: "bg-muted text-surface" },
  lost: { icon: "alert", className: "bg-notice text-surface" },
} as const satisfies Partial<Record<Mood, { icon: IconName | null; className: string }>>

/** The outcome at a glance. It says nothing that the heading does not say. */
function Emblem({ mood }: { mood: Mood }) {
  if (mood === "loading" || mood === "asking") return null
  const { icon, className } = looks[mood]
  return (
    <div
      className={`mb-5 grid size-12 place-items-center rounded-full motion-safe:transition-colors ${className}`}
    >
      {icon === null ? <Spinner className="size-6" /> : <Icon name={icon} className="size-6" />}
    </div>
  )
}
