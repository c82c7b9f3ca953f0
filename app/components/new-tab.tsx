import type { ReactNode } from "react"

/** A link that opens a new tab, and says so to screen readers. */
export function NewTab({ href, className, children }: { href: string; className?: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
      {children}
      <span className="sr-only"> (opens a new tab)</span>
    </a>
  )
}
