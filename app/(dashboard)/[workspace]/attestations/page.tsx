"use client"

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs"
import { ChoiceFilter, DayFilter, Filters, TextFilter, timesOf } from "#app/(dashboard)/filters.tsx"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { DataTable, useCursor } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { statusWord } from "#app/components/status-badge.tsx"
import { useTimeZone } from "#app/components/time-zone.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"
import { columns } from "./columns.tsx"

const filters = {
  q: parseAsString,
  schema: parseAsString,
  status: parseAsStringLiteral(shownStatuses),
  from: parseAsString,
  to: parseAsString,
}

export default function Page() {
  const path = usePath()
  const { id: workspaceId } = useWorkspace()
  const [filter, setFilter] = useQueryStates(filters)
  const zone = useTimeZone()
  const paging = useCursor(JSON.stringify(filter))
  const { cursor } = paging
  const asked = {
    ...(filter.q && { q: filter.q }),
    ...(filter.schema && { schema: filter.schema }),
    ...(filter.status && { status: filter.status }),
    ...timesOf(filter, zone),
  }
  const isFiltered = Object.values(filter).some((value) => value !== null)
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
      <Filters onClear={isFiltered ? () => void setFilter(null) : null}>
        <TextFilter
          label="Search"
          placeholder="Wallet, attestation id or external id"
          maxLength={200}
          value={filter.q}
          onChange={(q) => void setFilter({ q })}
        />
        <ChoiceFilter
          label="Status"
          all="All"
          options={shownStatuses.map((value) => ({ value, label: statusWord(value) }))}
          value={filter.status}
          onChange={(status) => void setFilter({ status: status as ShownStatus | null })}
        />
        <ChoiceFilter
          label="Schema"
          all="All"
          options={(schemas.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.schema}
          onChange={(schema) => void setFilter({ schema })}
        />
        <DayFilter label="Started from" value={filter.from} onChange={(from) => void setFilter({ from })} />
        <DayFilter label="Started to" value={filter.to} onChange={(to) => void setFilter({ to })} />
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
