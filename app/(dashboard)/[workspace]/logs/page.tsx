"use client"

import { parseAsString, parseAsStringLiteral } from "nuqs"
import { ChoiceFilter, DayFilters, Filters, TextFilter, useFilters } from "#app/(dashboard)/filters.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Duration, ExactTimestamp } from "#app/components/timestamp.tsx"
import { HttpStatus } from "#app/components/ui/badge.tsx"
import { keptDays } from "#shared/retention.ts"

const PAGE = 50
/** How often the newest requests are read again while the page is open. */
const FOLLOW_MS = 5000

const methods = ["GET", "HEAD", "POST", "PATCH", "DELETE"] as const
const statuses = [
  { value: "2xx", label: "Success (2xx)" },
  { value: "4xx", label: "Request error (4xx)" },
  { value: "5xx", label: "Server error (5xx)" },
  ...["400", "403", "404", "409", "422", "429"].map((value) => ({ value, label: value })),
]

const filters = {
  id: parseAsString,
  status: parseAsString,
  method: parseAsStringLiteral(methods),
  path: parseAsString,
  key: parseAsString,
}

export default function Page() {
  const path = usePath()
  const { filter, setFilter, days, times, paging, isFiltered, current, onClear } = useFilters(filters)
  const { cursor } = paging
  const keys = useQuery("key.list", {})
  const list = useQuery(
    "request.list",
    {
      limit: PAGE,
      ...(cursor && { cursor }),
      ...(filter.id && { request_id: filter.id }),
      ...(filter.status && { status: filter.status }),
      ...(filter.method && { method: filter.method }),
      ...(filter.path && { path: pathBelowV1(filter.path) }),
      ...(filter.key && { key_id: filter.key }),
      ...times,
    },
    { keep: true, ...(paging.isFirst && { every_ms: FOLLOW_MS }) },
  )
  // A filter with few matches searches the log one part at a time.
  const goesOn = list.data !== undefined && list.data.data.length < PAGE && list.data.next_cursor !== null

  return (
    <>
      <PageHeader
        title="Logs"
        description={`Every API request with a key of this workspace, kept for ${keptDays.requests} days. Secrets and personal data are masked.`}
      />
      {list.data?.used_up && (
        <p role="status" className="mb-4 text-[13px] text-notice">
          This workspace’s log has used its {list.data.used_up.mib_per_day} MiB for today. Until{" "}
          <ExactTimestamp at={list.data.used_up.until} />, requests are kept without headers and bodies, and
          rate-limited requests are not kept. After twice that amount, no requests are kept.
        </p>
      )}
      <Filters onClear={onClear} saved={{ list: "logs", current }}>
        <TextFilter label="Request id" placeholder="req_…" value={filter.id} onChange={(id) => setFilter({ id })} />
        <TextFilter
          label="Path starts with"
          placeholder="/kyc/status"
          value={filter.path}
          onChange={(path) => setFilter({ path })}
        />
        <ChoiceFilter
          label="Status"
          all="All"
          options={statuses}
          value={filter.status}
          onChange={(status) => setFilter({ status })}
        />
        <ChoiceFilter
          label="Method"
          all="All"
          options={methods.map((value) => ({ value, label: value }))}
          value={filter.method}
          onChange={(method) => setFilter({ method: method as (typeof methods)[number] | null })}
        />
        <ChoiceFilter
          label="Key"
          all="All"
          options={(keys.data?.data ?? []).map(({ key_id, name }) => ({ value: key_id, label: name }))}
          value={filter.key}
          onChange={(key) => setFilter({ key })}
        />
        <DayFilters labels={["From", "To"]} days={days} />
      </Filters>
      <DataTable
        caption="Requests"
        columns={columns}
        list={list}
        rowKey={({ request_id }) => request_id}
        rowHref={({ request_id }) => path("logs", request_id)}
        paging={paging}
        empty={
          goesOn ? (
            <Empty title="No matches so far">Select Older to search further back.</Empty>
          ) : isFiltered || !paging.isFirst ? (
            <Empty title="No matching requests">
              {filter.id
                ? `Requests with a key of this workspace appear about a second after their response and stay for ${keptDays.requests} days.`
                : "Remove a filter or choose another date range."}
            </Empty>
          ) : (
            <Empty title="No requests yet">
              Send one with an{" "}
              <Link href={path("keys")} className="text-accent underline">
                API key
              </Link>
              : it shows up here about a second later.
            </Empty>
          )
        }
      />
      {goesOn && list.data!.data.length > 0 && (
        <p className="mt-3 text-[13px] text-muted">
          Older requests are not searched yet. Select Older to search further back.
        </p>
      )}
    </>
  )
}

/** People copy the whole path. The log stores the part after /v1. */
const pathBelowV1 = (path: string) => path.replace(/^(https?:\/\/[^/]+)?\/v1(?=\/|$)/, "")

type LoggedRequest = RouterOutputs["request"]["list"]["data"][number]

const column = columnsOf<LoggedRequest>()

const columns = [
  column.accessor("at", {
    header: "Time",
    cell: ({ getValue }) => <ExactTimestamp at={getValue()} />,
  }),
  column.display({
    id: "status",
    header: "Status",
    cell: ({ row: { original } }) => (
      <span className="flex items-center gap-2">
        <HttpStatus status={original.status} />
        {original.error && (
          <code title={original.error} className="max-w-32 truncate font-mono text-xs max-md:hidden">
            {original.error}
          </code>
        )}
      </span>
    ),
  }),
  column.display({
    id: "request",
    header: "Request",
    meta: { className: "w-full md:max-w-0" },
    cell: ({ row: { original } }) => (
      <code
        title={`${original.method} ${original.path}`}
        className="block truncate font-mono text-[13px] max-md:max-w-72"
      >
        <span className="text-muted">{original.method}</span> {original.path}
      </code>
    ),
  }),
  column.accessor("duration_ms", {
    header: "Took",
    meta: { align: "end" },
    cell: ({ getValue }) => <Duration ms={getValue()} />,
  }),
  column.accessor("key_name", {
    header: "Key",
    cell: ({ getValue }) => <span className="block max-w-24 truncate">{getValue()}</span>,
  }),
  column.accessor("request_id", {
    header: "Request id",
    cell: ({ getValue }) => <Copyable compact value={getValue()} what="the request id" />,
  }),
]
