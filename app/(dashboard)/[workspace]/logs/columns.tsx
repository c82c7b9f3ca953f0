"use client"

import type { RouterOutputs } from "#app/call.ts"
import { Copyable } from "#app/components/copyable.tsx"
import { columnsOf } from "#app/components/data-table.tsx"
import { ExactTimestamp } from "#app/components/timestamp.tsx"
import { Badge } from "#app/components/ui/badge.tsx"

export type LoggedRequest = RouterOutputs["request"]["list"]["data"][number]

const column = columnsOf<LoggedRequest>()

export const columns = [
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

export function HttpStatus({ status }: { status: number }) {
  return <Badge tone={status < 400 ? "good" : status < 500 ? "notice" : "bad"}>{status}</Badge>
}

const milliseconds = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 })

export function Duration({ ms }: { ms: number }) {
  return <span className="whitespace-nowrap">{milliseconds.format(ms < 100 ? ms : Math.round(ms))} ms</span>
}
