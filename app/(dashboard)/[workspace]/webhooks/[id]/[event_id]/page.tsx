"use client"

import { useParams } from "next/navigation.js"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { type RouterOutputs, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, HttpStatus } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { Duration, ExactTimestamp, Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { keptDays } from "#shared/retention.ts"
import { DeliveryBadge } from "../../endpoint.tsx"

const FOLLOW_MS = 5000

export default function Page() {
  const { id, event_id } = useParams<{ id: string; event_id: string }>()
  const { can } = useWorkspace()
  const again = useMutation((api) => api.webhook.replay.mutate({ id, event_id }))
  return (
    <DetailPage
      up={[["webhooks", id], "Webhook endpoint"]}
      name="Delivery"
      query={useQuery("webhook.delivery", { id, event_id }, { every_ms: FOLLOW_MS })}
      head={({ type, status }) => ({
        code: type,
        badge: <DeliveryBadge status={status} />,
        actions: can("webhooks:write") && (
          <Button
            disabled={again.isPending}
            onClick={() => again.mutate(undefined, () => notify("The event is sent again"))}
          >
            Send again
          </Button>
        ),
      })}
    >
      {({ sequence, event_id, next_attempt_at, ended_at, attempt_log }) => (
        <div className="space-y-5">
          <Card>
            <Facts
              facts={{
                "Event number": sequence,
                "Event id": <Copyable compact value={event_id} what="the event's id" />,
                "Next attempt": next_attempt_at && <Timestamp at={next_attempt_at} />,
                Ended: ended_at && <Timestamp at={ended_at} />,
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
              list={{ data: { data: attempt_log } }}
              rowKey={({ at, latency_ms }) => `${at} ${latency_ms}`}
              empty={
                <Empty title="No attempts">
                  There were none yet, or they are older than {keptDays.webhookAttempts} days.
                </Empty>
              }
            />
          </section>
        </div>
      )}
    </DetailPage>
  )
}

type Attempt = RouterOutputs["webhook"]["delivery"]["attempt_log"][number]

const AnswerStatus = ({ of: { status_code: status } }: { of: Attempt }) =>
  status === null ? <Badge tone="bad">None</Badge> : <HttpStatus status={status} />

const columns: Column<Attempt>[] = [
  {
    header: "Time",
    cell: (row) => (
      <>
        <ExactTimestamp at={row.at} />
        {/* On narrow screens, in place of their columns. */}
        <span className="my-1 flex items-center gap-2 text-[13px] text-muted md:hidden">
          <AnswerStatus of={row} />
          <Duration ms={row.latency_ms} />
        </span>
      </>
    ),
  },
  { header: "Answer", wideOnly: true, cell: (row) => <AnswerStatus of={row} /> },
  { header: "Took", align: "end", wideOnly: true, cell: ({ latency_ms }) => <Duration ms={latency_ms} /> },
  {
    header: "Response",
    className: "w-full",
    breaks: true,
    cell: (row) => (
      <>
        {row.error && <span className="block">{row.error}</span>}
        {row.response && (
          <code className="block max-h-24 overflow-y-auto font-mono text-xs text-muted">{row.response}</code>
        )}
      </>
    ),
  },
]
