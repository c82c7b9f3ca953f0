"use client"

import { useEffect, useState } from "react"
import { Icon } from "./icons.tsx"
import { Button } from "./ui/button.tsx"

const SHOWN_MS = 2000

/** Copies text to the clipboard and remembers briefly whether that worked. */
export function useCopy(value: string, onCopied?: () => void) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null)
  useEffect(() => {
    if (outcome !== "copied") return
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  async function copy() {
    try {
      await navigator.clipboard.writeText(value)
      setOutcome("copied")
      onCopied?.()
    } catch {
      // Some browsers in wallets have no clipboard. Show the whole text, so that it can be selected.
      setOutcome("refused")
    }
  }
  return { outcome, copy }
}

type CopyableProps = { value: string; what: string; compact?: boolean; whole?: boolean }

/**
 * An address or a signature, shortened in the middle. One click copies all of it. `compact` is for rows of a table;
 * `whole` does not shorten.
 */
export function Copyable({ value, what, compact = false, whole = false }: CopyableProps) {
  const { outcome, copy } = useCopy(value)
  if (outcome === "refused") return <code className="py-2 font-mono text-[13px] break-all">{value}</code>
  return (
    <span className="inline-flex">
      <button
        type="button"
        onClick={copy}
        title={value}
        className={`inline-flex cursor-pointer items-center rounded-md motion-safe:transition-colors hover:bg-sunken ${
          compact ? "group relative -mx-1 min-h-6 px-1 pointer-coarse:gap-1.5" : "-mx-2 min-h-11 gap-2 px-2"
        }`}
      >
        {whole ? (
          <code className="min-w-0 text-left font-mono text-[13px] break-all">{value}</code>
        ) : (
          <Shortened value={value} />
        )}
        <span className="sr-only">, copy {what}</span>
        <span className={compact ? `${onApproach} ${outcome === "copied" ? "opacity-100" : "opacity-0"}` : undefined}>
          <Icon
            name={outcome === "copied" ? "check" : "copy"}
            className={`${compact ? "size-3.5" : "size-4"} ${outcome === "copied" ? "text-accent" : "text-muted"}`}
          />
        </span>
      </button>
      <span role="status" className="sr-only">
        {outcome === "copied" ? "Copied" : ""}
      </span>
    </span>
  )
}

/** An address or an id, shortened in the middle for the eye and whole for a screen reader. */
export const Shortened = ({ value }: { value: string }) => (
  <code className="font-mono text-[13px] whitespace-nowrap">
    <span aria-hidden="true">{shorten(value)}</span>
    <span className="sr-only">{value}</span>
  </code>
)

/**
 * In rows and sentences the copy icon appears only on hover or focus. It lies over the end of the text, so that it leaves
 * no hole. On touch screens it is always there, after the text.
 */
const onApproach =
  "absolute inset-y-0 right-0 flex items-center rounded-r-md bg-sunken px-1 group-hover:opacity-100 group-focus-visible:opacity-100 pointer-coarse:static pointer-coarse:bg-transparent pointer-coarse:p-0 pointer-coarse:opacity-100"

export const shorten = (value: string) => (value.length <= 18 ? value : `${value.slice(0, 8)}…${value.slice(-8)}`)

type CodeBlockProps = {
  code: string
  /** What it is: "Command", "API key". */
  label: string
  /** Runs each time that the button has copied it. */
  onCopied?: () => void
}

/** Text to copy as is: a command, a key, a transaction. */
export function CodeBlock({ code, label, onCopied }: CodeBlockProps) {
  const { outcome, copy } = useCopy(code, onCopied)
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-3 border-b border-line py-1 pr-1 pl-3 text-xs text-muted">
        {label}
        <span className="inline-flex items-center">
          <span role="status" className="sr-only">
            {outcome === "copied" ? "Copied" : outcome === "refused" ? "Select the text to copy it" : ""}
          </span>
          <Button variant="ghost" size="xs" aria-label={`Copy ${label.toLowerCase()}`} onClick={copy}>
            <Icon name={outcome === "copied" ? "check" : "copy"} className="size-4" />
            <span className="max-sm:sr-only">{outcome === "copied" ? "Copied" : "Copy"}</span>
          </Button>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="overflow-x-auto p-3 -outline-offset-2">
        <pre>
          <code className="font-mono text-[13px] leading-relaxed">{code}</code>
        </pre>
      </section>
    </figure>
  )
}
