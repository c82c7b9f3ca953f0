import { clsx } from "clsx"
import type { ReactNode } from "react"
import { Timestamp } from "#app/components/timestamp.tsx"

/** What happened, each with a dot: `bg-accent` for the moments that count. */
export const Timeline = ({ children, className = "space-y-5" }: { children: ReactNode; className?: string }) => (
  <ol className={clsx("border-l border-line pl-5", className)}>{children}</ol>
)

export function Moment({
  dot = "bg-field",
  what,
  at,
  more,
  children,
}: {
  dot?: string | undefined
  what: ReactNode
  at: string
  /** After the time. */
  more?: ReactNode
  children?: ReactNode
}) {
  return (
    <li className="relative">
      <span
        aria-hidden="true"
        className={clsx("absolute top-1.5 -left-[1.5625rem] size-2 rounded-full ring-4 ring-surface", dot)}
      />
      <p className="font-medium">{what}</p>
      <p className="text-[13px] text-muted">
        <Timestamp at={at} />
        {more}
      </p>
      {children}
    </li>
  )
}
