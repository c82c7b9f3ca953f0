import { Icon, type IconName, Spinner } from "#app/components/icons.tsx"
import type { Mood } from "./copy.ts"

const looks = {
  working: { icon: null, className: "bg-muted text-surface" },
  good: { icon: "check", className: "bg-accent text-accent-ink" },
  bad: { icon: "cross", className: "bg-danger text-surface" },
  over: { icon: "clock", className: "bg-muted text-surface" },
  unknown: { icon: "question", className: "bg-muted text-surface" },
  lost: { icon: "alert", className: "bg-notice text-surface" },
} as const satisfies Partial<Record<Mood, { icon: IconName | null; className: string }>>

/** The outcome at a glance. It says nothing that the heading does not say. */
export function Emblem({ mood }: { mood: Mood }) {
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
