import type { ReactNode } from "react"
import { problemOf } from "./problem.ts"
import { Empty, Failed, Loading } from "./states.tsx"
import { Card } from "./ui/card.tsx"

/** The result of a query, or a part of it. */
export type Query<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown }

/** What to say instead of a failure with this code. */
export type Missing = { code: string; title: string; text: ReactNode } | undefined

/** What a query returned. Until then a placeholder, or why it failed. */
export function Loaded<Data>({
  query: { data, error, refetch },
  what,
  lines,
  missing,
  isFramed = false,
  className,
  children,
}: {
  query: Query<Data>
  /** What is loading: "the attestation". */
  what: string
  /** The lines of the placeholder. */
  lines?: number
  missing?: Missing
  /** Whether the placeholder and the failure are in a card. The content brings its own. */
  isFramed?: boolean
  /** Of the failure. */
  className?: string
  children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  const state =
    error && missing?.code === problemOf(error).code ? (
      <Empty title={missing.title}>{missing.text}</Empty>
    ) : error ? (
      <Failed error={error} onRetry={refetch} {...(className && { className })} />
    ) : (
      <Loading what={`Loading ${what}`} {...(lines && { lines })} />
    )
  return isFramed ? <Card>{state}</Card> : state
}
