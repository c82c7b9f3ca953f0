import type { ReactNode } from "react"

/** The top of a page: its only first-level heading, and the browser's title. */
export function PageHeader({
  title,
  heading = title,
  description,
  actions,
}: {
  /** Plain words, for the browser's title. */
  title: string
  /** What the heading shows in place of the title. */
  heading?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}) {
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
