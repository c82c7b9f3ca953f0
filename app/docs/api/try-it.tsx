"use client"

import dynamicModule from "next/dynamic.js"
import { useState } from "react"
import { Button } from "#app/components/ui/button.tsx"
import type { Attempt } from "./try-panel.tsx"

// Its types speak of a default export inside of the module that Node would load; there is none.
const dynamic = dynamicModule as unknown as typeof dynamicModule.default
const Panel = dynamic(async () => (await import("./try-panel.tsx")).TryPanel)

/** Opens what sends the request to this server. It is loaded then. */
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
