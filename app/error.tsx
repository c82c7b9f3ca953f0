"use client"

import { quietButton } from "./components/button.ts"
import { Card } from "./components/card.tsx"

export default function Failed({ retry }: { error: unknown; retry: () => void }) {
  return (
    <Card>
      <h1 className="text-2xl font-semibold tracking-tight">Something went wrong</h1>
      <p className="mt-2 mb-6 text-muted">
        This page failed to load. Try again; nothing you submitted is lost.
      </p>
      <button type="button" onClick={retry} className={quietButton}>
        Try again
      </button>
    </Card>
  )
}
