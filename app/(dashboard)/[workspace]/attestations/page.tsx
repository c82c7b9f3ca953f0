"use client"

import { parseAsString, useQueryState } from "nuqs"
import { lazy, Suspense, useCallback, useEffect, useState } from "react"
import { dateRange } from "#app/(dashboard)/date-range.tsx"
import { choice, type Filtered, order, pageNamesOf, schema, searched, status, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { byExpiry, byTime } from "#app/(dashboard)/sort.ts"
import { ExternalId, usePath, usePolling, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty, Failed } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { counted, isPageChosen, upToOf, useSelection } from "#app/components/selection.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import type { AttestationSummary } from "#domain/attestations"

// Loads with the first selection, and stays loaded because it remembers the attempt.
const BulkRevoke = lazy(async () => ({ default: (await import("./bulk.tsx")).BulkRevoke }))

const DAY_MS = 86_400_000

const filters = {
  q: text("Search", "Name, wallet or attestation id", 200),
  status: status("Status", "attestation.count"),
  schema,
  ...dateRange("Started"),
  expiring: choice(
    "Expires",
    "Any time",
    (["7", "30", "90"] as const).map((days) => [days, `Within ${days} days`]),
    (days) => new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
  ),
  order: order("oldest", "expiry"),
}

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const list = useList("attestation.search", {
    filters,
    ask: ({ expiring, ...asked }) => ({ ...searched(asked), ...(expiring && { expiring_before: expiring }) }),
  })
  const own = useSelection<AttestationSummary>(list.name, {
    nameOf: ({ user_pubkey }) => user_pubkey,
    refusal: revocationRefusal,
  })
  const ids = list.query.data?.data.map(({ attestation_id }) => attestation_id) ?? []
  const selection = counted(own, useQuery("bulkRevocation.upTo", ...upToOf(own, ids)).data)
  const [isChoosing, setChoosing] = useState(false)
  if (selection.chosen.size > 0 && !isChoosing) setChoosing(true)
  const [, setRevoking] = useRevoking()
  const [isNew, setNew] = useState(false)
  const seen = useCallback(() => setNew(false), [])
  const { order, ...filter } = list.asked
  return (
    <>
      <ListPage
        title="Attestations"
        description="An attestation is the record of one verification: its status, the decision and the proof on chain."
        exports="attestations"
        saved="attestations"
        list={list}
        columns={columnsOf(list.filtered)}
        rowKey={({ attestation_id }) => attestation_id}
        rowPath={({ attestation_id }) => ["attestations", attestation_id]}
        selection={can("attestation:write") ? selection : undefined}
        pageNames={pageNamesOf(order)}
        noMatch="Search by a wallet or its first or last 4 characters, an attestation id, or words of an external id in any order."
        empty={
          <Empty
            title="No attestations yet"
            action={
              <Link href={path("sessions")} className={buttonLook({ variant: "primary" })}>
                Go to sessions
              </Link>
            }
          >
            Start a verification here, or with POST /kyc/start and an API key.
          </Empty>
        }
      >
        <BulkProgress isNew={isNew} onSeen={seen} />
      </ListPage>
      {isChoosing && (
        <Suspense>
          <BulkRevoke
            selection={selection}
            filter={filter}
            offersAll={isPageChosen(selection, list, ({ attestation_id }) => attestation_id)}
            onStarted={(id) => {
              setNew(true)
              void setRevoking(id)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

const revocationRefusal = ({ status }: AttestationSummary): string | null =>
  status === "pending" || status === "verified" ? null : "already ended"

/** A phone shows only the time that the list is sorted by. */
const columnsOf = (filtered: Filtered): Column<AttestationSummary>[] => [
  {
    header: "Investor",
    breaks: true,
    cell: ({ external_id, user_pubkey }) =>
      external_id === null ? <Shortened value={user_pubkey} /> : <ExternalId value={external_id} />,
    note: ({ external_id, user_pubkey }) => external_id !== null && <Shortened value={user_pubkey} />,
  },
  { header: "Status", phone: "value", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Schema", phone: "none", cell: ({ schema }) => <SchemaName id={schema} /> },
  {
    header: "Started",
    phone: filtered.current.order === "expiry" ? "none" : "line",
    sort: byTime(filtered),
    cell: ({ started_at }) => <Ago at={started_at} />,
  },
  {
    header: "Expires",
    phone: filtered.current.order === "expiry" ? "labelled" : "none",
    sort: byExpiry(filtered),
    cell: ({ expires_at }) => <Timestamp at={expires_at} />,
  },
]

// Loaded on the first revocation: most readers of the list revoke nothing.
const BulkPanel = lazy(async () => ({ default: (await import("./bulk.tsx")).BulkPanel }))

/** The bulk revocation that the page shows. Its id is in the address, so that a reload finds it again. */
const useRevoking = () => useQueryState("revoking", parseAsString)

/**
 * Shows the progress of a bulk revocation and why some attestations were not revoked. Without an id in the address it
 * shows the one that is running in this workspace, if any. Takes the focus when `isNew`.
 */
function BulkProgress({ isNew, onSeen }: { isNew: boolean; onSeen: () => void }) {
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
