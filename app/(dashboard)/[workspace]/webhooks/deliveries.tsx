import { RotateCcw } from "lucide-react"
import { asThemselves, choice, text } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { allEventTypes } from "#shared/event-types.ts"
import { keptDays } from "#shared/retention.ts"
import { type DeliveryStatus, deliveryStatuses } from "#shared/webhooks.ts"
import { aboutColumn } from "../events/about.tsx"
import type { Names } from "../events/subject.ts"

const looks = {
  pending: { word: "Retrying", tone: "notice" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
} as const satisfies Record<DeliveryStatus, { word: string; tone: "notice" | "good" | "bad" }>

type Progress = Pick<
  Delivery,
  "status" | "attempts" | "next_attempt_at" | "ended_at" | "last_status_code" | "last_error"
>

/** A delivery's status, with the last answer while it is not accepted. */
export function DeliveryBadge({ of: { status, attempts, last_status_code, last_error } }: { of: Progress }) {
  const { word, tone } = looks[status]
  const isFirst = status === "pending" && attempts === 0
  const answer = last_error && (last_status_code === null ? asClause(last_error) : String(last_status_code))
  return (
    <Badge tone={tone} {...(last_error && { title: last_error })}>
      {isFirst ? "Waiting" : word}
      {!isFirst && status !== "delivered" && answer && <span className="max-md:sr-only"> · {answer}</span>}
    </Badge>
  )
}

/** "The connection was refused." within a line. */
const asClause = (sentence: string): string =>
  sentence
    .replace(/^The connection was /, "connection ")
    .replace(/^The /, "")
    .replace(/^It did not answer/, "no answer")
    .replace(/^It(s)? /, (_, owned) => (owned ? "its " : "it "))
    .replace(/\.$/, "")

const filters = {
  about: text("About", "Name, wallet, id or number", 100),
  status: choice(
    "Status",
    "All",
    deliveryStatuses.map((status) => [status, looks[status].word]),
  ),
  type: choice("Event", "All", asThemselves(allEventTypes)),
}

export function Deliveries({ of }: { of: string }) {
  const { can } = useWorkspace()
  const list = useList("webhook.searchDeliveries", {
    filters,
    input: { id: of, limit: 50 },
    follows: true,
    searchesInParts: true,
  })
  const again = useMutation((api, event_id: string) => api.webhook.replay.mutate({ id: of, event_id }))
  const columns = columnsWith(list.query.data ?? { people: [], tokens: [], approvals: [] })
  const sendAgain = actions<Delivery>(({ event_id, sequence }) => (
    <MoreMenu size="icon-sm" label={`Actions for event ${sequence}`}>
      <MenuItem onSelect={() => again.mutate(event_id, () => notify("The event is sent again"))}>
        <RotateCcw aria-hidden="true" />
        Send again
      </MenuItem>
    </MoreMenu>
  ))
  return (
    <List
      list={list}
      caption="Deliveries"
      exports="deliveries"
      columns={can("webhooks:write") ? [...columns, sendAgain] : columns}
      rowPath={({ event_id }) => ["webhooks", of, event_id]}
      noMatch="Remove a filter."
      empty={
        <Empty title="No deliveries yet">
          New events appear here within a second and stay for {keptDays.events} days.
        </Empty>
      }
    />
  )
}

type Delivery = RouterOutputs["webhook"]["searchDeliveries"]["data"][number]

/** The columns of a delivery's progress, whatever it is listed by. */
export const progressColumns: Column<Progress>[] = [
  { header: "Status", phone: "value", cell: (row) => <DeliveryBadge of={row} /> },
  { header: "Attempts", align: "end", phone: "none", cell: ({ attempts }) => attempts },
  {
    header: "When",
    className: "whitespace-nowrap",
    cell: ({ next_attempt_at, ended_at }) =>
      next_attempt_at !== null ? (
        <>
          <span className="text-muted">Next attempt</span> <Ago at={next_attempt_at} />
        </>
      ) : (
        ended_at && (
          <>
            <span className="text-muted">Ended</span> <Ago at={ended_at} />
          </>
        )
      ),
  },
]

const columnsWith = (names: Names): Column<Delivery>[] => [
  {
    header: "Event",
    cell: ({ type }) => <code className="block font-mono text-[13px] md:whitespace-nowrap">{type}</code>,
    note: ({ sequence }) => <span className="max-md:hidden">No. {sequence}</span>,
  },
  aboutColumn(({ event }) => event, names),
  ...progressColumns,
]
