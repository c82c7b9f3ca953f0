"use client"

import { useParams } from "next/navigation.js"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { type RouterOutputs, usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock, Copyable } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { ExactTimestamp } from "#app/components/timestamp.tsx"
import { keptDays } from "#shared/retention.ts"
import { progressColumns } from "../../webhooks/deliveries.tsx"
import { About } from "../about.tsx"
import type { Event, Names } from "../subject.ts"
import { whatHappened } from "../what-happened.ts"

const FOLLOW_MS = 5000

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const path = usePath()
  return (
    <DetailPage
      up={[["events"], "Events"]}
      name="Event"
      query={useQuery("event.view", { id }, { every_ms: FOLLOW_MS })}
      missing={{
        code: "event_not_found",
        title: "Event not found",
        text: `It may be older than ${keptDays.events} days or belong to another workspace.`,
      }}
      head={({ event }) => ({ code: event.type, description: whatHappened(event) })}
    >
      {({ event, deliveries, ...names }) => (
        <div className="space-y-5">
          <Card>
            <FactsOf event={event} names={names} />
          </Card>
          <Card title="Event" description="As GET /events and webhooks send it.">
            <CodeBlock label="JSON" code={JSON.stringify(event, null, 2)} />
          </Card>
          <section aria-labelledby="deliveries">
            <h2 id="deliveries" className="mb-3 text-base font-semibold">
              Deliveries
            </h2>
            <DataTable
              caption="Deliveries"
              columns={columns}
              list={{ data: { data: deliveries } }}
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
      )}
    </DetailPage>
  )
}

const FactsOf = ({ event, names }: { event: Event; names: Names }) => (
  <Facts
    facts={{
      Number: event.sequence,
      When: <ExactTimestamp at={event.occurred_at} />,
      About: <About event={event} names={names} />,
      "Event id": <Copyable compact value={event.id} what="the event’s id" />,
      Cursor: <Copyable compact whole value={event.cursor} what="the cursor" />,
    }}
  />
)

type Delivery = RouterOutputs["event"]["view"]["deliveries"][number]

const columns: Column<Delivery>[] = [
  {
    header: "Endpoint",
    breaks: true,
    cell: ({ url }) => <code className="block font-mono text-[13px] max-md:line-clamp-2 md:min-w-40">{url}</code>,
  },
  ...progressColumns,
]
