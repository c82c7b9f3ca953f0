import type { ReactNode } from "react"

/** Names on the left, values on the right; one line each where they fit. */
export function Facts({ facts }: { facts: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className="mt-6 divide-y divide-line border-y border-line">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex min-h-11 items-center justify-between gap-6">
          <dt className="shrink-0 py-2 text-muted">{name}</dt>
          <dd className="min-w-0 text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
