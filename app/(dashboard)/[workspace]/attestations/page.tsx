"use client"

import { parseAsString, parseAsStringLiteral } from "nuqs"
import { ChoiceFilter, DayFilters, Filters, TextFilter, useFilters } from "#app/(dashboard)/filters.tsx"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge, statusWord } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { AttestationSummary } from "#server/domain/attestations/search.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"

const filters = {
  q: parseAsString,
  schema: parseAsString,
  status: parseAsStringLiteral(shownStatuses),
}

export default function Page() {
  const path = usePath()
  const { id: workspaceId } = useWorkspace()
  const { filter, setFilter, days, times, paging, isFiltered, onClear } = useFilters(filters)
  const { cursor } = paging
  const asked = {
    ...(filter.q && { q: filter.q }),
    ...(filter.schema && { schema: filter.schema }),
    ...(filter.status && { status: filter.status }),
    ...times,
  }
  const schemas = useQuery(["schemas", "names"], (api, signal) => api.schema.list.query({}, { signal }))
  const list = useQuery(
    ["attestations", asked, cursor],
    (api, signal) => api.attestation.search.query({ ...asked, ...(cursor && { cursor }) }, { signal }),
    { keep: true },
  )
  const file = `/api/export/attestations.csv?${new URLSearchParams({ workspace: workspaceId, ...asked })}`

  return (
    <>
      <PageHeader
        title="Attestations"
        description="Every verification and its current status."
        actions={
          <Button asChild>
            <a href={file} download>
              Export CSV
            </a>
          </Button>
        }
      />
      <Filters onClear={onClear}>
        <TextFilter
          label="Search"
          placeholder="Wallet, attestation id or external id"
          maxLength={200}
          value={filter.q}
          onChange={(q) => setFilter({ q })}
        />
        <ChoiceFilter
          label="Status"
          all="All"
          options={shownStatuses.map((value) => ({ value, label: statusWord(value) }))}
          value={filter.status}
          onChange={(status) => setFilter({ status: status as ShownStatus | null })}
        />
        <ChoiceFilter
          label="Schema"
          all="All"
          options={(schemas.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.schema}
          onChange={(schema) => setFilter({ schema })}
        />
        <DayFilters labels={["Started from", "Started to"]} days={days} />
      </Filters>
      <DataTable
        caption="Attestations"
        columns={columns}
        list={list}
        rowKey={({ attestation_id }) => attestation_id}
        rowHref={({ attestation_id }) => path("attestations", attestation_id)}
        paging={paging}
        empty={
          isFiltered || !paging.isFirst ? (
            <Empty title="No matching attestations">
              Search by a wallet or its first or last 4 characters, an attestation id, or the first characters
              of an external id.
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
    </>
  )
}

const column = columnsOf<AttestationSummary>()

const NOTHING = <span className="text-muted">–</span>

const columns = [
  column.accessor("user_pubkey", {
    header: "Wallet",
    meta: { className: "max-sm:pr-2" },
    cell: ({ getValue }) => <Shortened value={getValue()} />,
  }),
  column.accessor("status", {
    header: "Status",
    meta: { className: "max-sm:px-2" },
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.accessor("external_id", {
    header: "External id",
    meta: { wideOnly: true, breaks: true },
    cell: ({ getValue }) => getValue() ?? NOTHING,
  }),
  column.accessor("schema", { header: "Schema", meta: { wideOnly: true } }),
  column.accessor("started_at", {
    header: "Started",
    meta: { className: "max-sm:pl-2" },
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
