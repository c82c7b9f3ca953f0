"use client"

import { parseAsString, useQueryState } from "nuqs"
import { lazy, Suspense, useEffect } from "react"
import { usePolling } from "#app/(dashboard)/workspace.tsx"
import { Failed } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"

// Loaded where something is revoked: most who read the list revoke nothing.
const BulkPanel = lazy(async () => ({ default: (await import("./bulk-panel.tsx")).BulkPanel }))

/** Which list of attestations is shown being revoked: its id is in the address, so that a reload finds it again. */
export const useRevoking = () => useQueryState("revoking", parseAsString)

/**
 * How far attestations are that are revoked together, and what became of each that was not. Without an id in the
 * address it is whichever list of the workspace is under way. The focus comes here when `isNew`.
 */
export function BulkProgress({ isNew, onSeen }: { isNew: boolean; onSeen: () => void }) {
  const [id, setId] = useRevoking()
  const job = usePolling(
    ["bulk-revocation", id],
    (api) => api.bulkRevocation.get.query({ id }),
    (job) => job === null || job.ended_at !== null,
  )
  const { data } = job
  useEffect(() => {
    // What is under way stays in sight when it has ended.
    if (id === null && data) void setId(data.id)
  }, [id, data, setId])
  const dismiss = (
    <Button variant="ghost" size="sm" onClick={() => void setId(null)}>
      Dismiss
    </Button>
  )
  if (id !== null && job.error) {
    return (
      <section aria-label="Revocation" className="mb-3 rounded-xl border border-line bg-surface px-4 py-3">
        <Failed error={job.error} onRetry={job.refetch} />
        {dismiss}
      </section>
    )
  }
  if (!data) return null
  return (
    <Suspense>
      <BulkPanel job={data} isNew={isNew && data.id === id} onSeen={onSeen} dismiss={dismiss} />
    </Suspense>
  )
}
