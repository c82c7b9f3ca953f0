import { clsx } from "clsx"
import { type ComponentProps, type ReactNode, useId } from "react"
import { Wordmark } from "#app/components/icons.tsx"

/** A part of a page with its own second-level heading. */
export function Card({
  title,
  description,
  actions,
  className,
  children,
  ...props
}: Omit<ComponentProps<"section">, "title"> & {
  title?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}) {
  const id = useId()
  return (
    <section
      {...(title && { "aria-labelledby": id })}
      {...props}
      className={clsx("min-w-0 rounded-xl border border-line bg-surface p-4 sm:p-5", className)}
    >
      {(title || actions) && (
        <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <div>
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
export function PageCard({ badge, children }: { badge?: ReactNode; children: ReactNode }) {
  return (
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
}

type PageHeaderProps = {
  /** Plain words, for the browser's title. */
  title: string
  /** What the heading shows in place of the title. */
  heading?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}

/** The top of a page: its only first-level heading, and the browser's title. */
export function PageHeader({ title, heading = title, description, actions }: PageHeaderProps) {
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <title>{`${title} · Vouch`}</title>
      <div className="min-w-0">
        <h1 className="text-xl leading-tight font-semibold tracking-tight">{heading}</h1>
        {description && <p className="mt-1 max-w-2xl text-sm text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}

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
