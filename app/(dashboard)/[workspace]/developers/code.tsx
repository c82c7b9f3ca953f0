import type { ReactNode } from "react"

/** A name of the API in the middle of a sentence. */
export const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-[13px] text-ink">{children}</code>
)
