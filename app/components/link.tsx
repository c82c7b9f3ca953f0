import module from "next/link.js"
import type { ReactNode } from "react"

/** Next's link. Its types declare a nested default export, which does not exist at run time. */
export const Link = module as unknown as typeof module.default

/** A link that opens a new tab, and says so to screen readers. */
export const NewTab = ({ href, className, children }: { href: string; className?: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
    {children}
    <span className="sr-only"> (opens a new tab)</span>
  </a>
)
