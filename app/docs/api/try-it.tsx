"use client"

import dynamicModule from "next/dynamic.js"
import { useState } from "react"
import { Button } from "#app/components/ui/button.tsx"
import type { Attempt } from "./try-panel.tsx"

// The types of next/dynamic declare a nested default export, which does not exist at run time.
const dynamic = dynamicModule as unknown as typeof dynamicModule.default
const Panel = dynamic(async () => (await import("./try-panel.tsx")).TryPanel)

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
      {isOpen && <Panel {...attempt} />}
    </div>
  )
}
