import { clsx } from "clsx"
import type { ComponentProps, ReactNode } from "react"
import { Icon } from "./icons.tsx"
import { Card } from "./layout.tsx"
import { problemOf } from "./problem.ts"
import { Button } from "./ui/button.tsx"

const centred = "flex flex-col items-center px-4 py-12 text-center text-sm"

type EmptyProps = { title: ReactNode; children?: ReactNode; action?: ReactNode; className?: string }

/** Says that a list is empty, and what to do about it. */
export function Empty({ title, children, action, className }: EmptyProps) {
  return (
    <div className={clsx(centred, className)}>
      <p className="font-medium">{title}</p>
      {children && <div className="mt-1 max-w-md text-muted">{children}</div>}
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

type FailedProps = { error: unknown; onRetry?: (() => unknown) | undefined; className?: string }

/** Says why loading failed, with the request's id for support and a button to try again. */
export function Failed({ error, onRetry, className }: FailedProps) {
  const { detail, requestId } = problemOf(error)
  return (
    <div role="alert" className={clsx(centred, className)}>
      <Icon name="alert" className="size-6 text-danger" />
      <p className="mt-2 font-medium">Could not load this</p>
      <p className="mt-1 max-w-md text-muted">{detail}</p>
      {requestId && <p className="mt-1 font-mono text-xs text-muted">{requestId}</p>}
      {onRetry && (
        <Button className="mt-4" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </div>
  )
}

type LoadingProps = { what?: string; lines?: number; className?: string; children?: ReactNode }

/** Placeholder lines while text loads. `children` draws another shape. */
export function Loading({ what = "Loading", lines = 4, className, children }: LoadingProps) {
  return (
    <div role="status" className={clsx("space-y-3", className)}>
      <span className="sr-only">{what}</span>
      {children ??
        Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
          <Skeleton key={line} className={line === lines - 1 ? "h-4 w-1/2 rounded" : "h-4 w-full rounded"} />
        ))}
    </div>
  )
}

/** A placeholder while something loads. Hidden from screen readers, which `Loading` and `DataTable` inform. */
export function Skeleton({ className, ...props }: ComponentProps<"span">) {
  return (
    <span
      data-slot="skeleton"
      aria-hidden="true"
      className={clsx("block bg-line motion-safe:animate-pulse", className)}
      {...props}
    />
  )
}

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
