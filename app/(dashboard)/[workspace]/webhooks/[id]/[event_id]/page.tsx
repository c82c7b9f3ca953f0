"use client"

import { useParams } from "next/navigation.js"
import { useState } from "react"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { Headers, pretty } from "#app/(dashboard)/http-parts.tsx"
import { type RouterOutputs, To, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, HttpStatus } from "#app/components/badge.tsx"
import { CodeBlock, Copyable } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { Ago, Duration, ExactTimestamp, Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { keptDays } from "#shared/retention.ts"
import { attemptPauses_s, keptAnswer_chars } from "#shared/webhooks.ts"
import { About } from "../../../events/about.tsx"
import { DeliveryBadge } from "../../deliveries.tsx"

const FOLLOW_MS = 5000

type Delivery = RouterOutputs["webhook"]["viewDelivery"]
type Attempt = Delivery["attempt_log"][number]

export default function Page() {
  const { id, event_id } = useParams<{ id: string; event_id: string }>()
  const { can } = useWorkspace()
  const again = useMutation((api) => api.webhook.replay.mutate({ id, event_id }))
  return (
    <DetailPage
      up={[["webhooks", id], "Webhook endpoint"]}
      name="Delivery"
      query={useQuery("webhook.viewDelivery", { id, event_id }, { every_ms: FOLLOW_MS })}
      head={(delivery) => ({
        code: delivery.type,
        badge: <DeliveryBadge of={delivery} />,
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
      {(delivery) => <DeliveryDetail delivery={delivery} />}
    </DetailPage>
  )
}

const keyOf = ({ at, latency_ms }: Attempt) => `${at} ${latency_ms}`

function DeliveryDetail({ delivery }: { delivery: Delivery }) {
  const { sequence, event_id, event, attempts, next_attempt_at, ended_at, attempt_log } = delivery
  const [chosen, setChosen] = useState<string | null>(null)
  // Until one is chosen, the newest.
  const shown = attempt_log.find((one) => keyOf(one) === chosen) ?? attempt_log[0]
  return (
    <div className="space-y-5">
      <Card>
        <Facts
          facts={{
            Event: (
              <To path={["events", event_id]} className="rounded-sm text-accent underline underline-offset-2">
                Number {sequence}
              </To>
            ),
            About: <About event={event} names={delivery} />,
            "Event id": <Copyable compact value={event_id} what="the event's id" />,
            Attempts: `${attempts} of ${attemptPauses_s.length}`,
            "Next attempt": next_attempt_at && <Ago at={next_attempt_at} />,
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
          columns={columnsWith(shown, (one) => setChosen(keyOf(one)))}
          list={{ data: { data: attempt_log } }}
          rowKey={keyOf}
          empty={
            <Empty title="No attempts">
              There were none yet, or they are older than {keptDays.webhookAttempts} days.
            </Empty>
          }
        />
      </section>
      <TwoColumns wide={<Sent body={delivery.body} attempt={shown} />} narrow={shown && <Response attempt={shown} />} />
    </div>
  )
}

function Sent({ body, attempt }: { body: string; attempt: Attempt | undefined }) {
  return (
    <Card
      title="Request"
      description={
        attempt ? (
          <>
            Sent <ExactTimestamp at={attempt.at} />.
          </>
        ) : (
          "The next attempt sends this body."
        )
      }
    >
      <div className="space-y-3">
        {attempt?.headers && <Headers headers={attempt.headers} />}
        {attempt?.headers === null && <p className="text-muted">The headers of this attempt were not kept.</p>}
        <CodeBlock label="Request body" code={pretty(body)} />
        <p className="text-[13px] text-muted">
          Sent without these line breaks. The signature covers the bytes as sent.
        </p>
      </div>
    </Card>
  )
}

const Response = ({ attempt }: { attempt: Attempt }) => (
  <Card title="Response">
    <div className="space-y-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <ResponseStatus of={attempt} />
        {attempt.error ?? "Accepted."}
        <span className="text-muted">
          <Duration ms={attempt.latency_ms} />
        </span>
      </p>
      {attempt.response === null ? (
        <p className="text-muted">No body.</p>
      ) : attempt.response === "***" ? (
        <p className="text-muted">Only members who manage webhooks see the response, because it may hold secrets.</p>
      ) : (
        <CodeBlock
          label={attempt.response.length < keptAnswer_chars ? "Response body" : "Response body, first 1,000 characters"}
          code={pretty(attempt.response)}
        />
      )}
    </div>
  </Card>
)

const ResponseStatus = ({ of: { status_code: status } }: { of: Attempt }) =>
  status === null ? <Badge tone="bad">No response</Badge> : <HttpStatus status={status} />

const columnsWith = (shown: Attempt | undefined, onChoose: (attempt: Attempt) => void): Column<Attempt>[] => [
  {
    header: "Time",
    cell: (row) => (
      <button
        type="button"
        aria-pressed={row === shown}
        onClick={() => onChoose(row)}
        className="cursor-pointer rounded-sm text-left underline-offset-2 hover:underline aria-pressed:font-medium aria-pressed:text-accent pointer-coarse:min-h-11"
      >
        <ExactTimestamp at={row.at} />
        <span className="sr-only">, show this attempt</span>
      </button>
    ),
  },
  { header: "Response", phone: "value", cell: (row) => <ResponseStatus of={row} /> },
  { header: "Duration", align: "end", cell: ({ latency_ms }) => <Duration ms={latency_ms} /> },
  { header: "Result", className: "md:w-full", breaks: true, cell: ({ error }) => error ?? "Accepted" },
]
