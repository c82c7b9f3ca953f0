import { clsx } from "clsx"
import type { ReactNode } from "react"

/** Names and values. Null values are left out. */
export function Facts({ facts, className }: { facts: Record<string, ReactNode>; className?: string }) {
  return (
    <dl className={clsx("grid grid-cols-[fit-content(45%)_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2", className)}>
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
