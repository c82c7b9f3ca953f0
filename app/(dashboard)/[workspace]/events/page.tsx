"use client"

import { dateRange } from "#app/(dashboard)/date-range.tsx"
import { asThemselves, choice, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { To } from "#app/(dashboard)/workspace.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { allEventTypes } from "#shared/event-types.ts"
import { keptDays } from "#shared/retention.ts"
import { aboutColumn } from "./about.tsx"
import type { Event, Names } from "./subject.ts"
import { whatHappened } from "./what-happened.ts"

const filters = {
  about: text("About", "Name, wallet, id or number", 100),
  type: choice("Type", "All", asThemselves(allEventTypes)),
  ...dateRange("Time"),
}

export default function Page() {
  const list = useList("event.search", {
    filters,
    input: { limit: 50 },
    follows: true,
    searchesInParts: true,
  })
  return (
    <ListPage
      title="Events"
      description={`What happened in this workspace, numbered without a gap and kept for ${keptDays.events} days.`}
      saved="events"
      exports="events"
      list={list}
      columns={columnsWith(list.query.data ?? { people: [], tokens: [], approvals: [] })}
      rowPath={({ id }) => ["events", id]}
      empty={
        <Empty title="No events yet">
          Verifications, reviews, changes of tokens, and whatever mints, moves or redeems them show up here within a
          second. Your systems receive them by{" "}
          <To path={["webhooks"]} className="text-accent underline">
            webhooks
          </To>
          , or read{" "}
          <Link href="/docs/api" className="text-accent underline">
            GET /events
          </Link>
          .
        </Empty>
      }
    />
  )
}

const columnsWith = (names: Names): Column<Event>[] => [
  {
    header: "Event",
    breaks: true,
    cell: ({ type }) => <code className="block font-mono text-[13px] md:whitespace-nowrap">{type}</code>,
    note: (event) => <span className="max-md:hidden">{whatHappened(event)}</span>,
  },
  aboutColumn((event) => event, names),
  { header: "Number", align: "end", phone: "none", cell: ({ sequence }) => sequence },
  {
    header: "When",
    className: "whitespace-nowrap",
    cell: ({ occurred_at }) => <Timestamp at={occurred_at} />,
  },
]
