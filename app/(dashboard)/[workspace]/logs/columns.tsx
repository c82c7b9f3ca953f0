"use client"

import { Copyable } from "../../../components/copyable.tsx"
import { columnsOf } from "../../../components/data-table.tsx"
import { Badge } from "../../../components/ui/badge.tsx"
import type { Api } from "../../client.ts"
import { Instant } from "./instant.tsx"

export type LoggedRequest = Awaited<ReturnType<Api["request"]["list"]["query"]>>["data"][number]

const column = columnsOf<LoggedRequest>()

export const columns = [
  column.accessor("at", {
    header: "Time",
    cell: ({ getValue }) => <Instant at={getValue()} />,
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <HttpStatus status={getValue()} />,
  }),
  column.display({
    id: "request",
    header: "Request",
    cell: ({ row: { original } }) => (
      <code className="block max-w-96 min-w-52 font-mono text-[13px] leading-snug">
        <span className="text-muted">{original.method}</span> {original.path}
      </code>
    ),
  }),
  column.accessor("error", {
    header: "Error",
    cell: ({ getValue }) => <code className="font-mono text-xs whitespace-nowrap">{getValue() ?? ""}</code>,
  }),
  column.accessor("duration_ms", {
    header: "Time taken",
    meta: { align: "end" },
    cell: ({ getValue }) => <Duration ms={getValue()} />,
  }),
  column.accessor("key_name", { header: "Key", meta: { wideOnly: true } }),
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
