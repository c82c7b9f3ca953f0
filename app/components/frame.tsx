import { clsx } from "clsx"
import { type ComponentProps, type ReactNode, useId } from "react"
import { Wordmark } from "#app/components/icons.tsx"
import { Icon } from "./icons.tsx"
import { problemOf } from "./problem.ts"
import { Button } from "./ui/button.tsx"

/** A part of a page with its own second-level heading. */
export function Card({
  title,
  description,
  actions,
  className,
  children,
  ...props
}: Omit<ComponentProps<"section">, "title"> & { title?: ReactNode; description?: ReactNode; actions?: ReactNode }) {
  const id = useId()
  return (
    <section
      {...(title && { "aria-labelledby": id })}
      {...props}
      className={clsx("min-w-0 rounded-xl border border-line bg-surface p-4 sm:p-5", className)}
    >
      {(title || actions) && (
        <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2 last:mb-0">
          {/* A long description leaves room for the actions at its side. */}
          <div className={clsx(description && "min-w-0 flex-1 basis-60")}>
            {title && (
              <h2 id={id} className="text-sm font-semibold">
                {title}
              </h2>
            )}
            {description && <p className="mt-0.5 text-[13px] text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** One column with one subject: the whole screen on a phone, a card on wider screens. */
export const PageCard = ({ badge, children }: { badge?: ReactNode; children: ReactNode }) => (
  <div className="mx-auto min-h-dvh w-full max-w-[30rem] sm:min-h-0 sm:px-4 sm:py-12">
    <div className="min-h-dvh bg-surface px-5 pt-5 pb-8 sm:min-h-0 sm:rounded-2xl sm:border sm:border-line sm:px-8 sm:pt-6 sm:shadow-card">
      <header className="mb-7 flex h-8 items-center justify-between">
        <Wordmark />
        {badge}
      </header>
      <main>{children}</main>
    </div>
  </div>
)

type PageHeaderProps = {
  /** Plain words, for the browser's title. */
  title: string
  /** What the heading shows in place of the title. */
  heading?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  /** Whether the only action, always, is an icon on a phone: then it is next to the heading. */
  hasIcon?: boolean
}

/** The top of a page: its only first-level heading, and the browser's title. */
export const PageHeader = ({ title, heading = title, description, actions, hasIcon = false }: PageHeaderProps) => (
  <header
    className={clsx("mb-5 flex items-start justify-between gap-x-6 gap-y-3", hasIcon ? "md:flex-wrap" : "flex-wrap")}
  >
    <title>{`${title} · Vouch`}</title>
    <div className="min-w-0">
      <h1 tabIndex={-1} className="text-xl leading-tight font-semibold tracking-tight">
        {heading}
      </h1>
      {description && <p className="mt-1 max-w-2xl text-sm text-muted">{description}</p>}
    </div>
    {/* On a phone, the primary action is the first. */}
    {actions && <div className="flex flex-wrap items-center gap-2 max-md:[&>.bg-accent]:-order-1">{actions}</div>}
  </header>
)

/** Names and values. Null values are left out. */
export const Facts = ({ facts, className }: { facts: Record<string, ReactNode>; className?: string }) => (
  <dl
    className={clsx(
      "grid grid-cols-[fit-content(45%)_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 max-[359px]:gap-x-3",
      className,
    )}
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

const centred = "flex flex-col items-center px-4 py-12 text-center text-sm"

type EmptyProps = { title: ReactNode; children?: ReactNode; action?: ReactNode; className?: string }

/** Says that a list is empty, and what to do about it. */
export const Empty = ({ title, children, action, className }: EmptyProps) => (
  <div className={clsx(centred, className)}>
    <p className="font-medium">{title}</p>
    {children && <div className="mt-1 max-w-md text-muted">{children}</div>}
    {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
  </div>
)

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
export const Loading = ({ what = "Loading", lines = 4, className, children }: LoadingProps) => (
  <div role="status" className={clsx("space-y-3", className)}>
    <span className="sr-only">{what}</span>
    {children ??
      Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={line} className={line === lines - 1 ? "h-4 w-1/2 rounded" : "h-4 w-full rounded"} />
      ))}
  </div>
)

/** A placeholder while something loads. Hidden from screen readers, which `Loading` and `DataTable` inform. */
export const Skeleton = ({ className, ...props }: ComponentProps<"span">) => (
  <span
    data-slot="skeleton"
    aria-hidden="true"
    className={clsx("block bg-line motion-safe:animate-pulse", className)}
    {...props}
  />
)

/** The result of a query, or a part of it. */
export type Query<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown }

/** What a query returned. Until then a placeholder, or why it failed. */
export function Loaded<Data>({
  query: { data, error, refetch },
  what,
  lines,
  isFramed = false,
  className,
  children,
}: {
  query: Query<Data>
  /** What is loading: "the attestation". */
  what: string
  /** The lines of the placeholder. */
  lines?: number
  /** Whether the placeholder and the failure are in a card. The content brings its own. */
  isFramed?: boolean
  /** Of the failure. */
  className?: string
  children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  const state = error ? (
    <Failed error={error} onRetry={refetch} {...(className && { className })} />
  ) : (
    <Loading what={`Loading ${what}`} {...(lines && { lines })} />
  )
  return isFramed ? <Card>{state}</Card> : state
}
