"use client"

import { parseAsString, parseAsStringLiteral } from "nuqs"
import { ChoiceFilter, DayFilters, Filters, given, TextFilter, useFilters } from "#app/(dashboard)/filters.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { allEventTypes, type EventType, eventTypes } from "#shared/event-types.ts"
import { keptDays } from "#shared/retention.ts"
import { type Event, subjectOf } from "./subject.ts"

const PAGE = 50
/** How often the newest events are read again while the page is open. */
const FOLLOW_MS = 5000

const filters = { about: parseAsString, type: parseAsStringLiteral(allEventTypes) }

export default function Page() {
  const path = usePath()
  const { filter, setFilter, days, times, paging, isFiltered, current, onClear } = useFilters(filters)
  const { cursor } = paging
  const list = useQuery(
    "event.search",
    { limit: PAGE, ...given(filter), ...times, ...(cursor && { cursor }) },
    { keep: true, ...(paging.isFirst && { every_ms: FOLLOW_MS }) },
  )
  // A filter with few matches searches the events one part at a time.
  const goesOn = list.data !== undefined && list.data.data.length < PAGE && list.data.next_cursor !== null
  return (
    <>
      <PageHeader
        title="Events"
        description={`What happened in this workspace, numbered without a gap and kept for ${keptDays.events} days.`}
      />
      <Filters onClear={onClear} saved={{ list: "events", current }}>
        <TextFilter
          label="About"
          placeholder="Wallet, id, event number or cursor"
          value={filter.about}
          onChange={(about) => setFilter({ about })}
        />
        <ChoiceFilter
          label="Type"
          all="All"
          options={allEventTypes.map((value) => ({ value, label: value }))}
          value={filter.type}
          onChange={(type) => setFilter({ type: type as EventType | null })}
        />
        <DayFilters labels={["From", "To"]} days={days} />
      </Filters>
      <DataTable
        caption="Events"
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowHref={({ id }) => path("events", id)}
        paging={paging}
        empty={
          goesOn ? (
            <Empty title="No matches so far">Select Older to search further back.</Empty>
          ) : isFiltered || !paging.isFirst ? (
            <Empty title="No matching events">Remove a filter or choose another date range.</Empty>
          ) : (
            <Empty title="No events yet">
              Verifications, mints, transfers, reviews and changes of tokens show up here within a second. Your systems
              receive them by{" "}
              <Link href={path("webhooks")} className="text-accent underline">
                webhooks
              </Link>
              , or read{" "}
              <Link href="/docs/api" className="text-accent underline">
                GET /events
              </Link>
              .
            </Empty>
          )
        }
      />
      {goesOn && list.data!.data.length > 0 && (
        <p className="mt-3 text-[13px] text-muted">
          Older events are not searched yet. Select Older to search further back.
        </p>
      )}
    </>
  )
}

const column = columnsOf<Event>()

const columns = [
  column.display({
    id: "event",
    header: "Event",
    meta: { breaks: true },
    cell: ({ row: { original } }) => (
      <>
        <code className="block font-mono text-[13px] whitespace-nowrap">{original.type}</code>
        <span className="text-xs text-muted">{eventTypes[original.type]}</span>
      </>
    ),
  }),
  column.display({
    id: "about",
    header: "About",
    meta: { breaks: true, wideOnly: true },
    cell: ({ row: { original } }) => {
      const { name, more } = subjectOf(original)
      return (
        <>
          <code className="block font-mono text-[13px]">{name}</code>
          {more && <span className="text-xs text-muted">{more}</span>}
        </>
      )
    },
  }),
  column.accessor("sequence", { header: "Number", meta: { align: "end" } }),
  column.accessor("occurred_at", {
    header: "When",
    cell: ({ getValue }) => (
      <span className="whitespace-nowrap">
        <Timestamp at={getValue()} />
      </span>
    ),
  }),
]
