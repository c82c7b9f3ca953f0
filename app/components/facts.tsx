import { clsx } from "clsx"
import type { ReactNode } from "react"

/** What is known, in pairs; what is null is left out. */
export function Facts({ facts, className }: { facts: Record<string, ReactNode>; className?: string }) {
  return (
    <dl
      className={clsx("grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2", className)}
    >
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== null &&
          value !== undefined &&
          value !== false && (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** The same as lines of a page for one subject: names on the left, values on the right. */
export function FactLines({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className="mt-6 divide-y divide-line border-y border-line">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className="flex min-h-11 items-center justify-between gap-6">
          <dt className="shrink-0 py-2 text-muted">{name}</dt>
          <dd className="min-w-0 text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
