import type { ReactNode } from "react"

/** A name from the API within a sentence. */
export const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-[13px] text-ink">{children}</code>
)
