import { choice } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/layout.tsx"
import { Ago, Badge, Timestamp } from "#app/components/values.tsx"
import { keptDays } from "#shared/retention.ts"
import { type DeliveryStatus, deliveryStatuses } from "#shared/webhooks.ts"

const looks = {
  pending: { word: "Waiting", tone: "notice" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
} as const satisfies Record<DeliveryStatus, { word: string; tone: "notice" | "good" | "bad" }>

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  return <Badge tone={looks[status].tone}>{looks[status].word}</Badge>
}

const filters = {
  status: choice(
    "Status",
    "All",
    deliveryStatuses.map((status) => [status, looks[status].word]),
  ),
}

export function Deliveries({ of }: { of: string }) {
  const list = useList("webhook.deliveries", { filters, input: { id: of, limit: 50 }, follows: true })
  return (
    <List
      list={list}
      caption="Deliveries"
      columns={columns}
      rowPath={({ event_id }) => ["webhooks", of, event_id]}
      noMatch="Remove the filter."
      empty={
        <Empty title="No deliveries yet">
          New events appear here within a second and stay for {keptDays.events} days.
        </Empty>
      }
    />
  )
}

type Delivery = RouterOutputs["webhook"]["deliveries"]["data"][number]

/** The columns of a delivery's progress, whatever it is listed by. */
export const progressColumns: Column<Pick<Delivery, "status" | "attempts" | "next_attempt_at" | "ended_at">>[] = [
  { header: "Status", cell: ({ status }) => <DeliveryBadge status={status} /> },
  { header: "Attempts", align: "end", cell: ({ attempts }) => attempts },
  {
    header: "Ended, or next attempt",
    className: "whitespace-nowrap",
    cell: ({ next_attempt_at, ended_at }) =>
      next_attempt_at === null ? ended_at && <Ago at={ended_at} /> : <Timestamp at={next_attempt_at} />,
  },
]

const columns: Column<Delivery>[] = [
  {
    header: "Event",
    cell: ({ type }) => <code className="block font-mono text-[13px] whitespace-nowrap">{type}</code>,
    note: ({ sequence }) => `No. ${sequence}`,
  },
  ...progressColumns,
]
