"use client"

import { useEffect, useState } from "react"
import { Icon } from "./icons.tsx"

const SHOWN_MS = 2000

/** An address or a signature, shortened in the middle. One click copies all of it. */
export function Copyable({ value, what }: { value: string; what: string }) {
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
    } catch {
      // Some browsers inside of wallets have no clipboard: then there is all of it, to be selected.
      setOutcome("refused")
    }
  }

  if (outcome === "refused") return <code className="py-2 font-mono text-[13px] break-all">{value}</code>
  return (
    <span className="inline-flex">
      <button
        type="button"
        onClick={copy}
        title={value}
        className="-mx-2 inline-flex min-h-11 cursor-pointer items-center gap-2 rounded-md px-2 motion-safe:transition-colors hover:bg-sunken"
      >
        <code className="font-mono text-[13px]">
          <span aria-hidden="true">{shorten(value)}</span>
          <span className="sr-only">{value}</span>
        </code>
        <span className="sr-only">, copy {what}</span>
        <Icon
          name={outcome === "copied" ? "check" : "copy"}
          className={`size-4 ${outcome === "copied" ? "text-accent" : "text-muted"}`}
        />
      </button>
      <span role="status" className="sr-only">
        {outcome === "copied" ? "Copied" : ""}
      </span>
    </span>
  )
}

const shorten = (value: string) => (value.length <= 18 ? value : `${value.slice(0, 8)}…${value.slice(-8)}`)
