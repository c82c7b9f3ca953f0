"use client"

import { useParams } from "next/navigation.js"
import { useMutation, usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty, Failed, Loading } from "#app/components/states.tsx"
import { Duration, ExactTimestamp, Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Badge, HttpStatus } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { keptDays } from "#shared/retention.ts"
import { DeliveryBadge } from "../deliveries.tsx"

const FOLLOW_MS = 5000

export default function Page() {
  const { id, event_id } = useParams<{ id: string; event_id: string }>()
  const { can } = useWorkspace()
  const path = usePath()
  const { data, error, refetch } = useQuery("webhook.delivery", { id, event_id }, { every_ms: FOLLOW_MS })
  const again = useMutation((api) => api.webhook.replay.mutate({ id, event_id }))
  return (
    <>
      <p className="mb-2 text-[13px]">
        <Link href={path("webhooks", id)} className="text-muted hover:underline">
          Webhook endpoint
        </Link>
      </p>
      <PageHeader
        title={data?.type ?? "Delivery"}
        heading={
          data ? (
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
              <code className="font-mono text-lg font-medium">{data.type}</code>
              <DeliveryBadge status={data.status} />
            </span>
          ) : (
            "Delivery"
          )
        }
        actions={
          data &&
          can("webhooks:write") && (
            <Button
              disabled={again.isPending}
              onClick={() => again.mutate(undefined, () => notify("The event is sent again"))}
            >
              Send again
            </Button>
          )
        }
      />
      {data ? (
        <div className="space-y-5">
          <Card>
            <Facts
              facts={{
                "Event number": data.sequence,
                "Event id": <Copyable compact value={data.event_id} what="the event's id" />,
                "Next attempt": data.next_attempt_at && <Timestamp at={data.next_attempt_at} />,
                Ended: data.ended_at && <Timestamp at={data.ended_at} />,
              }}
            />
          </Card>
          <section aria-labelledby="attempts">
            <h2 id="attempts" className="mb-3 text-base font-semibold">
              Attempts
            </h2>
            <DataTable
              caption="Attempts"
              columns={columns}
              list={{ data: { data: data.attempt_log } }}
              rowKey={({ at, latency_ms }) => `${at} ${latency_ms}`}
              empty={
                <Empty title="No attempts">
                  There were none yet, or they are older than {keptDays.webhookAttempts} days.
                </Empty>
              }
            />
          </section>
        </div>
      ) : error ? (
        <Card>
          <Failed error={error} onRetry={refetch} />
        </Card>
      ) : (
        <Loading what="Loading the delivery" lines={6} />
      )}
    </>
  )
}

type Attempt = RouterOutputs["webhook"]["delivery"]["attempt_log"][number]

const column = columnsOf<Attempt>()

const columns = [
  column.accessor("at", { header: "Time", cell: ({ getValue }) => <ExactTimestamp at={getValue()} /> }),
  column.accessor("status_code", {
    header: "Answer",
    cell: ({ getValue }) => {
      const status = getValue()
      return status === null ? <Badge tone="bad">None</Badge> : <HttpStatus status={status} />
    },
  }),
  column.accessor("latency_ms", {
    header: "Took",
    meta: { align: "end" },
    cell: ({ getValue }) => <Duration ms={getValue()} />,
  }),
  column.display({
    id: "words",
    header: "Response",
    meta: { className: "w-full", breaks: true },
    cell: ({ row: { original } }) => (
      <>
        {original.error && <span className="block">{original.error}</span>}
        {original.response && (
          <code className="block max-h-24 overflow-y-auto font-mono text-xs text-muted">{original.response}</code>
        )}
      </>
    ),
  }),
]
