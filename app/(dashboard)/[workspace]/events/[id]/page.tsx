"use client"

import { useParams } from "next/navigation.js"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { CodeBlock, Copyable } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Empty, Failed, Loading } from "#app/components/states.tsx"
import { Ago, ExactTimestamp, Timestamp } from "#app/components/timestamp.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { eventTypes } from "#shared/event-types.ts"
import { keptDays } from "#shared/retention.ts"
import { DeliveryBadge } from "../../webhooks/[id]/deliveries.tsx"
import { type Event, subjectOf } from "../subject.ts"

/** How often the deliveries are read again while the page is open. */
const FOLLOW_MS = 5000

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const path = usePath()
  const { data, error, refetch } = useQuery(
    "event.view",
    { id },
    {
      every_ms: FOLLOW_MS,
    },
  )
  const isMissing = error !== null && problemOf(error).code === "event_not_found"
  return (
    <>
      <p className="mb-2 text-[13px]">
        <Link href={path("events")} className="text-muted hover:underline">
          Events
        </Link>
      </p>
      <PageHeader
        title={data?.event.type ?? "Event"}
        heading={data ? <code className="font-mono text-lg font-medium">{data.event.type}</code> : "Event"}
        description={data && eventTypes[data.event.type]}
      />
      {data ? (
        <div className="space-y-5">
          <Card>
            <FactsOf event={data.event} />
          </Card>
          <Card title="Event" description="As GET /events and webhooks send it.">
            <CodeBlock label="JSON" code={JSON.stringify(data.event, null, 2)} />
          </Card>
          <section aria-labelledby="deliveries">
            <h2 id="deliveries" className="mb-3 text-base font-semibold">
              Deliveries
            </h2>
            <DataTable
              caption="Deliveries"
              columns={columns}
              list={{ data: { data: data.deliveries } }}
              rowKey={({ endpoint_id }) => endpoint_id}
              rowHref={({ endpoint_id }) => path("webhooks", endpoint_id, id)}
              empty={
                <Empty title="Sent to no endpoint">
                  No webhook endpoint received it. A new endpoint gets events from then on. To send it earlier ones, use
                  Replay events on its page.
                </Empty>
              }
            />
          </section>
        </div>
      ) : isMissing ? (
        <Card>
          <Empty title="Event not found in this workspace">
            It may be older than {keptDays.events} days or belong to another workspace.
          </Empty>
        </Card>
      ) : error ? (
        <Card>
          <Failed error={error} onRetry={refetch} />
        </Card>
      ) : (
        <Loading what="Loading the event" lines={8} />
      )}
    </>
  )
}

function FactsOf({ event }: { event: Event }) {
  const path = usePath()
  const { name, parts, more } = subjectOf(event)
  return (
    <Facts
      facts={{
        Number: event.sequence,
        When: <ExactTimestamp at={event.occurred_at} />,
        About: (
          <>
            {parts === null ? (
              <Copyable compact value={name} what="the wallet" />
            ) : (
              <Link
                href={path(...parts)}
                prefetch={false}
                className="rounded-sm font-mono text-[13px] text-accent underline underline-offset-2 [overflow-wrap:anywhere]"
              >
                {name}
              </Link>
            )}
            {more && <span className="block text-xs text-muted [overflow-wrap:anywhere]">{more}</span>}
          </>
        ),
        "Event id": <Copyable compact value={event.id} what="the event’s id" />,
        Cursor: <Copyable compact whole value={event.cursor} what="the cursor" />,
      }}
    />
  )
}

type Delivery = RouterOutputs["event"]["view"]["deliveries"][number]

const column = columnsOf<Delivery>()

const columns = [
  column.accessor("url", {
    header: "Endpoint",
    meta: { breaks: true },
    cell: ({ getValue }) => <code className="block min-w-40 font-mono text-[13px]">{getValue()}</code>,
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <DeliveryBadge status={getValue()} />,
  }),
  column.accessor("attempts", { header: "Attempts", meta: { align: "end" } }),
  column.display({
    id: "time",
    header: "Ended, or next attempt",
    meta: { wideOnly: true },
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
