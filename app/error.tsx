"use client"

import { quietButton } from "./components/button.ts"
import { Card } from "./components/card.tsx"

export default function Failed({ retry }: { error: unknown; retry: () => void }) {
  return (
    <Card>
      <h1 className="text-2xl font-semibold tracking-tight">This page failed</h1>
      <p className="mt-2 mb-6 text-muted">Something went wrong on our side. Nothing that you sent is lost.</p>
      <button type="button" onClick={retry} className={quietButton}>
        Try again
      </button>
    </Card>
  )
}
