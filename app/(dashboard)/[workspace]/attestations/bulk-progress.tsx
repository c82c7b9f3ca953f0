import { parseAsString, useQueryState } from "nuqs"
import { lazy, Suspense, useEffect } from "react"
import { usePolling } from "#app/(dashboard)/workspace.tsx"
import { Failed } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"

// Loaded on the first revocation: most readers of the list revoke nothing.
const BulkPanel = lazy(async () => ({ default: (await import("./bulk-panel.tsx")).BulkPanel }))

/** The bulk revocation that the page shows. Its id is in the address, so that a reload finds it again. */
export const useRevoking = () => useQueryState("revoking", parseAsString)

/**
 * Shows the progress of a bulk revocation and why some attestations were not revoked. Without an id in the address it
 * shows the one that is running in this workspace, if any. Takes the focus when `isNew`.
 */
export function BulkProgress({ isNew, onSeen }: { isNew: boolean; onSeen: () => void }) {
  const [id, setId] = useRevoking()
  const job = usePolling("bulkRevocation.get", { id }, (job) => job === null || job.ended_at !== null)
  const { data } = job
  useEffect(() => {
    // With its id in the address, the revocation stays on the screen after it has ended.
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
