"use client"

import { parseAsString, parseAsStringLiteral } from "nuqs"
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from "react"
import { ExportCsv } from "#app/(dashboard)/export-csv.tsx"
import { ChoiceFilter, DayFilters, Filters, given, TextFilter, useFilters } from "#app/(dashboard)/filters.tsx"
import { InvestorLink } from "#app/(dashboard)/investor-link.tsx"
import {
  OrderFilter,
  orders,
  pageNamesOf,
  SchemaFilter,
  StatusFilter,
  statusIn,
  withStatus,
} from "#app/(dashboard)/verification-filters.tsx"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { useSelection } from "#app/components/selection.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { AttestationSummary } from "#server/domain/attestations/search.ts"
import { shownStatuses } from "#shared/statuses.ts"
import { BulkProgress, useRevoking } from "./bulk-progress.tsx"

// Loads with the first selection, and stays loaded because it remembers the attempt.
const BulkRevoke = lazy(async () => ({ default: (await import("./bulk-revoke.tsx")).BulkRevoke }))

const filters = {
  q: parseAsString,
  schema: parseAsString,
  status: parseAsStringLiteral(shownStatuses),
  expiring: parseAsStringLiteral(["7", "30", "90"] as const),
  order: parseAsStringLiteral(orders),
}

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const { filter, setFilter, days, times, name, paging, isFiltered, current, onClear } = useFilters(filters)
  const selection = useSelection<AttestationSummary>(name, {
    nameOf: ({ user_pubkey }) => user_pubkey,
    refusal: revocationRefusal,
  })
  const [isChoosing, setChoosing] = useState(false)
  if (selection.chosen.size > 0 && !isChoosing) setChoosing(true)
  const [, setRevoking] = useRevoking()
  const [isNew, setNew] = useState(false)
  const { cursor } = paging
  const expiringBefore = useDaysAhead(filter.expiring)
  const { expiring, order, ...rest } = filter
  const status = statusIn(filter)
  const asked = { ...given({ ...rest, status, order, expiring_before: expiringBefore }), ...times }
  const seen = useCallback(() => setNew(false), [])
  const { status: _, order: __, ...uncounted } = asked
  const counts = useQuery("attestation.count", uncounted, { keep: true })
  const list = useQuery("attestation.search", { ...asked, ...(cursor && { cursor }) }, { keep: true })
  return (
    <>
      <PageHeader
        title="Attestations"
        description="An attestation is the record of one verification: its status, the decision and the proof on chain."
        actions={<ExportCsv list="attestations" asked={asked} />}
      />
      <Filters onClear={onClear} saved={{ list: "attestations", current }}>
        <TextFilter
          label="Search"
          placeholder="Wallet, attestation id or external id"
          maxLength={200}
          value={filter.q}
          onChange={(q) => setFilter({ q })}
        />
        <StatusFilter counts={counts.data} value={status} onChange={(status) => setFilter(withStatus(status, order))} />
        <SchemaFilter value={filter.schema} onChange={(schema) => setFilter({ schema })} />
        <DayFilters labels={["Started from", "Started to"]} days={days} />
        <ChoiceFilter
          label="Expires"
          all="Any time"
          options={[7, 30, 90].map((days) => ({ value: String(days), label: `Within ${days} days` }))}
          value={filter.expiring}
          onChange={(expiring) => setFilter({ expiring: expiring as "7" | "30" | "90" | null })}
        />
        <OrderFilter orders={orders} value={order} onChange={(order) => setFilter({ order })} />
      </Filters>
      <BulkProgress isNew={isNew} onSeen={seen} />
      <DataTable
        caption="Attestations"
        columns={order === "expiry" ? byExpiry : byStart}
        list={list}
        rowKey={({ attestation_id }) => attestation_id}
        rowHref={({ attestation_id }) => path("attestations", attestation_id)}
        selection={can("attestation:write") ? selection : undefined}
        paging={paging}
        pageNames={pageNamesOf(order)}
        empty={
          isFiltered || !paging.isFirst ? (
            <Empty title="No matching attestations">
              Search by a wallet or its first or last 4 characters, an attestation id, or the first characters of an
              external id.
            </Empty>
          ) : (
            <Empty
              title="No attestations yet"
              action={
                <Button asChild variant="primary">
                  <Link href={path("sessions")}>Go to sessions</Link>
                </Button>
              }
            >
              Start a verification here, or with POST /kyc/start and an API key.
            </Empty>
          )
        }
      />
      {isChoosing && (
        <Suspense>
          <BulkRevoke
            selection={selection}
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

/** Why an attestation cannot be chosen, or null. */
const revocationRefusal = ({ status }: AttestationSummary): string | null =>
  status === "pending" || status === "verified" ? null : "already ended"

/**
 * The time that many days from now. Fixed while the page is open, so that the query does not change at every render.
 */
function useDaysAhead(days: string | null): string | null {
  return useMemo(() => (days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null), [days])
}

const column = columnsOf<AttestationSummary>()

const NOTHING = <span className="text-muted">–</span>

/** The wallet, and on narrow screens also the time that the list is sorted by. */
const wallet = (time: (of: AttestationSummary) => ReactNode) =>
  column.accessor("user_pubkey", {
    header: "Wallet",
    cell: ({ row: { original } }) => (
      <>
        <Shortened value={original.user_pubkey} />
        <span className="block text-xs font-normal text-muted sm:hidden">{time(original)}</span>
      </>
    ),
  })

const others = [
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.accessor("external_id", {
    header: "Investor",
    meta: { wideOnly: true, breaks: true },
    cell: ({ row: { original } }) => <InvestorLink investor={original} />,
  }),
  column.accessor("schema", { header: "Schema", meta: { wideOnly: true } }),
  column.accessor("started_at", {
    header: "Started",
    meta: { className: "max-sm:hidden" },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
  column.accessor("expires_at", {
    header: "Expires",
    meta: { wideOnly: true },
    cell: ({ getValue }) => {
      const at = getValue()
      return at ? <Timestamp at={at} /> : NOTHING
    },
  }),
]

const byStart = [wallet(({ started_at }) => <Ago at={started_at} />), ...others]
// The previous order's rows stay until the new ones arrive, and some of them never expire.
const byExpiry = [
  wallet(
    ({ expires_at: at }) =>
      at && (
        <>
          Expires <Ago at={at} />
        </>
      ),
  ),
  ...others,
]
