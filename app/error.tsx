"use client"

import { PageCard } from "./components/frame.tsx"
import { Button } from "./components/ui/button.tsx"

export default function Failed({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageCard>
      <h1 className="text-2xl font-semibold tracking-tight">Something went wrong</h1>
      <p className="mt-2 mb-6 text-muted">This page failed to load. Try again; nothing you submitted is lost.</p>
      <Button size="xl" onClick={retry}>
        Try again
      </Button>
    </PageCard>
  )
}
