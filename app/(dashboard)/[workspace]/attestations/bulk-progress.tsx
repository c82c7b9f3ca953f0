"use client"

import { parseAsString, useQueryState } from "nuqs"
import { useEffect, useRef, useState } from "react"
import { usePath, usePolling } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { Failed } from "#app/components/states.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Progress } from "#app/components/ui/progress.tsx"
import type { BulkRevocation } from "#server/domain/attestations/bulk-revocation/read.ts"
import { countOf } from "#shared/counts.ts"
import type { RevocationFailure } from "#shared/statuses.ts"

const failureCopy = {
  attestation_not_found: "not found in this workspace",
  insufficient_scope: "whoever started this may no longer revoke",
  internal_error: "failed several times. Try it again, by itself",
} as const satisfies Record<RevocationFailure, string>

/** Which list of attestations is shown being revoked: its id is in the address, so that a reload finds it again. */
export const useRevoking = () => useQueryState("revoking", parseAsString)

/**
 * How far attestations are that are revoked together, and what became of each that was not. Without an id in the
 * address it is whichever list of the workspace is under way. The focus comes here when `isNew`.
 */
export function BulkProgress({ isNew, onSeen }: { isNew: boolean; onSeen: () => void }) {
  const [id, setId] = useRevoking()
  const panel = useRef<HTMLElement>(null)
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
  const isThere = data?.id === id && id !== null
  useEffect(() => {
    if (!isNew || !isThere) return
    panel.current?.focus()
    onSeen()
  }, [isNew, isThere, onSeen])
  const dismiss = (
    <Button variant="ghost" size="sm" onClick={() => void setId(null)}>
      Dismiss
    </Button>
  )
  if (id !== null && job.error) {
    return (
      <section aria-label="Revocation" className={frame}>
        <Failed error={job.error} onRetry={job.refetch} />
        {dismiss}
      </section>
    )
  }
  if (!data) return null
  const done = data.revoked + data.ended_before + data.failed.length
  const isOver = data.ended_at !== null
  return (
    <section ref={panel} tabIndex={-1} aria-labelledby="revocation" className={frame}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div>
          <h2 id="revocation" className="text-sm font-semibold">
            {isOver ? resultOf(data) : `Revoking ${countOf(data.attestations, "attestation")}`}
          </h2>
          <p className="text-[13px] text-muted tabular-nums">
            {isOver ? (
              <>
                {data.ended_before > 0 && `${data.ended_before} had already ended. `}
                Started by {data.started_by} <Ago at={data.started_at} />
              </>
            ) : (
              `${done} of ${data.attestations} done. You can leave this page: it goes on.`
            )}
          </p>
        </div>
        {isOver && dismiss}
      </div>
      {!isOver && <Progress className="mt-3" label="Attestations revoked" value={done / data.attestations} />}
      {data.failed.length > 0 && <NotRevoked failed={data.failed} />}
      <p role="status" className="sr-only">
        {isOver && resultOf(data)}
      </p>
    </section>
  )
}

const frame = "mb-3 rounded-xl border border-line bg-surface px-4 py-3"

const resultOf = ({ revoked, attestations: all }: BulkRevocation): string =>
  revoked === all
    ? `${countOf(all, "attestation")} revoked`
    : `${revoked} of ${countOf(all, "attestation")} revoked`

/** Shown before one asks for the others. */
const FIRST = 5

function NotRevoked({ failed }: Pick<BulkRevocation, "failed">) {
  const path = usePath()
  const [isAll, setAll] = useState(false)
  return (
    <div className="mt-3 text-[13px]">
      <h3 id="not-revoked" className="font-medium">
        Not revoked
      </h3>
      <ul aria-labelledby="not-revoked" className="mt-1 space-y-1">
        {failed.slice(0, isAll ? undefined : FIRST).map(({ attestation_id: id, error }) => (
          <li key={id}>
            {error === "attestation_not_found" ? (
              <Shortened value={id} />
            ) : (
              <Link href={path("attestations", id)} prefetch={false} className="underline">
                <Shortened value={id} />
              </Link>
            )}
            : {failureCopy[error]}
          </li>
        ))}
      </ul>
      {failed.length > FIRST && !isAll && (
        <Button variant="link" className="mt-1 text-[13px]!" onClick={() => setAll(true)}>
          Show all {failed.length}
        </Button>
      )}
    </div>
  )
}
