"use client"

import { parseAsString } from "nuqs"
import { useId } from "react"
import { dateRange } from "#app/(dashboard)/date-range.tsx"
import {
  asThemselves,
  ChoiceField,
  choice,
  type FieldProps,
  type Filtered,
  rare,
  TextField,
  text,
} from "#app/(dashboard)/filters.tsx"
import { emptyHours, HourBars } from "#app/(dashboard)/hour-bars.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, To, useQuery } from "#app/(dashboard)/workspace.tsx"
import { HttpStatus } from "#app/components/badge.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Card, Empty } from "#app/components/frame.tsx"
import { Ago, Duration, ExactTimestamp } from "#app/components/timestamp.tsx"
import { countOf } from "#shared/counts.ts"
import { keptDays } from "#shared/retention.ts"
import { shownName } from "#shared/visible.ts"

const filters = {
  path: text("Search", "Path or request id", 200),
  status: choice("Status", "All", [
    ["2xx", "All 2xx"],
    ["4xx", "All 4xx errors"],
    ["5xx", "All 5xx errors"],
    ...asThemselves(["400", "403", "404", "409", "422", "429"]),
  ]),
  error: { parser: parseAsString, Field: ErrorField },
  ...dateRange("Time"),
  key: rare({ parser: parseAsString, Field: KeyField }),
  method: rare(choice("Method", "All", asThemselves(["GET", "HEAD", "POST", "PATCH", "DELETE"]))),
}

/** Suggests the codes of the last hours, and takes the beginning of any code. */
function ErrorField({ value, onChange }: FieldProps<string>) {
  const id = useId()
  const codes = useQuery("request.errors").data?.codes ?? []
  return (
    <>
      <TextField
        label="Error code"
        placeholder="country_not"
        maxLength={100}
        list={id}
        value={value}
        onChange={onChange}
      />
      <datalist id={id}>
        {codes.map(({ code, count }) => (
          <option key={code} value={code}>
            {countOf(count, "time")} in 24 hours
          </option>
        ))}
      </datalist>
    </>
  )
}

function KeyField({ value, onChange }: FieldProps<string>) {
  const keys = useQuery("key.list", {}).data?.data ?? []
  const options = keys.map(({ key_id, name }) => [key_id, name] as const)
  return <ChoiceField label="Key" all="All" options={options} value={value} onChange={onChange} />
}

export default function Page() {
  const list = useList("request.list", {
    filters,
    ask: ({ key, path, ...asked }) => ({
      ...asked,
      ...(path && (path.startsWith("req_") ? { request_id: path } : { path: pathBelowV1(path) })),
      ...(key && { key_id: key }),
    }),
    input: { limit: 50 },
    follows: true,
    searchesInParts: true,
  })
  const used_up = list.query.data?.used_up
  return (
    <ListPage
      title="Logs"
      description={`Every API request with a key of this workspace, kept for ${keptDays.requests} days. Secrets and personal data are masked.`}
      saved="logs"
      exports="requests"
      list={list}
      caption="Requests"
      columns={columns}
      rowPath={({ request_id }) => ["logs", request_id]}
      {...(list.asked.request_id && {
        noMatch: `Requests with a key of this workspace appear about a second after their response and stay for ${keptDays.requests} days.`,
      })}
      empty={
        <Empty title="No requests yet">
          Send one with an{" "}
          <To path={["keys"]} className="text-accent underline">
            API key
          </To>
          : it shows up here about a second later.
        </Empty>
      }
      above={
        <>
          {used_up && (
            <p role="status" className="mb-4 text-[13px] text-notice">
              This workspace’s log has used its {used_up.mib_per_day} MiB for today. Until{" "}
              <ExactTimestamp at={used_up.until} />, requests are kept without headers and bodies, and rate-limited
              requests are not kept. After twice that amount, no requests are kept.
            </p>
          )}
          <Traffic filtered={list.filtered} />
        </>
      }
    />
  )
}

const REFRESH_MS = 30_000

const kinds = [
  { name: "Successful", fill: "bg-accent/25" },
  { name: "Request errors (4xx)", fill: "bg-chart-pending", isStriped: true },
  { name: "Server errors (5xx)", fill: "bg-danger" },
]

/** The requests of each of the last hours. A click on an hour lists them. */
function Traffic({ filtered: { current, change } }: { filtered: Filtered }) {
  const id = useId()
  const { data } = useQuery("request.errors", undefined, { every_ms: REFRESH_MS })
  const hours = data?.hours.map(({ hour, successes, client_errors, server_errors }) => ({
    hour,
    counts: [successes, client_errors, server_errors],
  }))
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  const failed = sum(hours?.flatMap(({ counts }) => counts.slice(1)) ?? [])
  const total = hours && sum(hours.flatMap(({ counts }) => counts))
  return (
    <Card aria-labelledby={id} className="mb-4 py-3!">
      <HourBars
        heading={
          <>
            <h2 id={id} className="text-sm font-semibold">
              Requests of the last 24 hours
            </h2>
            {/* In its own line on a phone from the start, so that a longer text moves nothing. */}
            <p className="text-[13px] text-muted max-sm:w-full">
              {total === undefined
                ? "Counting…"
                : total === 0
                  ? "None."
                  : `${countOf(total, "request")}, ${failed === 0 ? "none" : count.format(failed)} of them failed.`}
            </p>
          </>
        }
        caption="Requests per hour"
        hours={hours ?? emptyHours([0, 0, 0])}
        series={kinds}
        chosen={current.from}
        onChoose={(hour, next) => change(current.from === hour ? { from: null, to: null } : { from: hour, to: next })}
      />
    </Card>
  )
}

const count = new Intl.NumberFormat("en-GB")

/** People copy the whole path. The log stores the part after /v1. */
const pathBelowV1 = (path: string) => path.replace(/^(https?:\/\/[^/]+)?\/v1(?=\/|$)/, "")

type LoggedRequest = RouterOutputs["request"]["list"]["data"][number]

const RequestLine = ({ of: { method, path }, className }: { of: LoggedRequest; className: string }) => (
  <code title={`${method} ${path}`} className={`block truncate font-mono ${className}`}>
    <span className="text-muted">{method}</span> {path}
  </code>
)

/** The person and the token that the request named, if known. */
function AboutLine({ of: { about } }: { of: LoggedRequest }) {
  if (about.investor === null && about.token === null) return null
  return (
    <span className="block truncate">
      {about.investor && (about.investor.external_id === null ? "An investor" : shownName(about.investor.external_id))}
      {about.investor && about.token && " · "}
      {about.token?.name}
    </span>
  )
}

const columns: Column<LoggedRequest>[] = [
  {
    header: "Time",
    phone: "line",
    cell: ({ at }) => (
      <>
        <span className="max-md:hidden">
          <ExactTimestamp at={at} />
        </span>
        <span className="md:hidden">
          <Ago at={at} />
        </span>
      </>
    ),
  },
  {
    header: "Status",
    phone: "value",
    cell: ({ status }) => <HttpStatus status={status} />,
  },
  {
    header: "Request",
    phone: "lead",
    className: "w-full md:max-w-0",
    cell: (row) => <RequestLine of={row} className="text-[13px]" />,
    note: (row) => <AboutLine of={row} />,
  },
  {
    header: "Error",
    cell: ({ error }) => error && <code className="font-mono text-xs md:whitespace-nowrap">{error}</code>,
  },
  {
    header: "Duration",
    align: "end",
    // On a phone, the error takes its place.
    phone: ({ error }) => (error === null ? "line" : "none"),
    cell: ({ duration_ms }) => <Duration ms={duration_ms} />,
  },
  {
    header: "Key",
    phone: "none",
    cell: ({ key_name }) => (
      <span title={key_name} className="block max-w-24 truncate">
        {key_name}
      </span>
    ),
  },
]
