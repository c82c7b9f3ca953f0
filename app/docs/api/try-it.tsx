"use client"

import { lazy, Suspense, useState } from "react"
import { Button } from "#app/components/ui/button.tsx"
import type { Attempt } from "./try-panel.tsx"

const Panel = lazy(async () => ({ default: (await import("./try-panel.tsx")).TryPanel }))

/** Opens the form that sends the request to this server. It loads on first use. */
export function TryIt({ name, ...attempt }: Attempt & { name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="noscript:hidden">
      <Button
        aria-label={`${isOpen ? "Close" : "Try it"}: ${name}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        size="sm"
      >
        {isOpen ? "Close" : "Try it"}
      </Button>
      <Suspense>{isOpen && <Panel {...attempt} />}</Suspense>
    </div>
  )
}
