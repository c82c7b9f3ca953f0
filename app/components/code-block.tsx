"use client"

import { useCopy } from "./copyable.tsx"
import { Icon } from "./icons.tsx"
import { Button } from "./ui/button.tsx"

/** Text that is meant to be copied, as it is: a command, a key, a transaction. */
export function CodeBlock({
  code,
  label,
}: {
  code: string /** What it is: "Command", "API key". */
  label: string
}) {
  const { outcome, copy } = useCopy(code)
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-3 border-b border-line py-1 pr-1 pl-3 text-xs text-muted">
        {label}
        <span className="inline-flex items-center">
          <span role="status" className="sr-only">
            {outcome === "copied" ? "Copied" : outcome === "refused" ? "Select the text to copy it" : ""}
          </span>
          <Button
            variant="ghost"
            size="sm"
            className="h-7"
            aria-label={`Copy ${label.toLowerCase()}`}
            onClick={copy}
          >
            <Icon name={outcome === "copied" ? "check" : "copy"} className="size-4" />
            <span className="max-sm:sr-only">{outcome === "copied" ? "Copied" : "Copy"}</span>
          </Button>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section tabIndex={0} aria-label={label} className="overflow-x-auto p-3 -outline-offset-2">
        <pre>
          <code className="font-mono text-[13px] leading-relaxed">{code}</code>
        </pre>
      </section>
    </figure>
  )
}
