"use client"

import { parseAsStringLiteral } from "nuqs"
import { ChoiceFilter, Filters, useFilters } from "#app/(dashboard)/filters.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import { keptDays } from "#shared/retention.ts"
import { type DeliveryStatus, deliveryStatuses } from "#shared/webhooks.ts"

const PAGE = 50
/** How often the newest deliveries are read again while the page is open. */
const FOLLOW_MS = 5000

const looks = {
  pending: { word: "Waiting", tone: "notice" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
} as const satisfies Record<DeliveryStatus, { word: string; tone: "notice" | "good" | "bad" }>

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  return <Badge tone={looks[status].tone}>{looks[status].word}</Badge>
}

const filters = { status: parseAsStringLiteral(deliveryStatuses) }

/** The events sent to an endpoint, and those that wait. */
export function Deliveries({ of }: { of: string }) {
  const path = usePath()
  const { filter, setFilter, paging, isFiltered, onClear } = useFilters(filters)
  const { cursor } = paging
  const list = useQuery(
    "webhook.deliveries",
    { id: of, limit: PAGE, ...(cursor && { cursor }), ...(filter.status && { status: filter.status }) },
    { keep: true, ...(paging.isFirst && { every_ms: FOLLOW_MS }) },
  )
  return (
    <>
      <Filters onClear={onClear}>
        <ChoiceFilter
          label="Status"
          all="All"
          options={deliveryStatuses.map((value) => ({ value, label: looks[value].word }))}
          value={filter.status}
          onChange={(status) => setFilter({ status: status as DeliveryStatus | null })}
        />
      </Filters>
      <DataTable
        caption="Deliveries"
        columns={columns}
        list={list}
        rowKey={({ event_id }) => event_id}
        rowHref={({ event_id }) => path("webhooks", of, event_id)}
        paging={paging}
        empty={
          isFiltered ? (
            <Empty title="No matching deliveries">Remove the filter.</Empty>
          ) : (
            <Empty title="No deliveries yet">
              New events appear here within a second and stay for {keptDays.events} days.
            </Empty>
          )
        }
      />
    </>
  )
}

type Delivery = RouterOutputs["webhook"]["deliveries"]["data"][number]

const column = columnsOf<Delivery>()

const columns = [
  column.display({
    id: "event",
    header: "Event",
    cell: ({ row: { original } }) => (
      <>
        <code className="block font-mono text-[13px] whitespace-nowrap">{original.type}</code>
        <span className="text-xs text-muted">No. {original.sequence}</span>
      </>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <DeliveryBadge status={getValue()} />,
  }),
  column.accessor("attempts", { header: "Attempts", meta: { align: "end" } }),
  column.display({
    id: "time",
    header: "Ended, or next attempt",
    cell: ({ row: { original } }) => (
      <span className="whitespace-nowrap">
        {original.next_attempt_at === null ? (
          original.ended_at && <Ago at={original.ended_at} />
        ) : (
          <Timestamp at={original.next_attempt_at} />
        )}
      </span>
    ),
  }),
]
