import { useState } from "react"
import { choice } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, useMutation } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { FieldGroup, GroupButton, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { allEventTypes, type EventType, eventTypes } from "#shared/event-types.ts"
import { keptDays } from "#shared/retention.ts"
import {
  type DeliveryStatus,
  type DisabledReason,
  deliveryStatuses,
  disabledAfterDays,
  failsAfterAttempts,
} from "#shared/webhooks.ts"

export type Endpoint = RouterOutputs["webhook"]["get"]

const disabledWords: Record<DisabledReason, string> = {
  requested: "Disabled",
  gone: "Disabled: it answered 410",
  failing: `Disabled: failed for ${disabledAfterDays} days`,
}

/** Whether an endpoint accepts its events. */
export function EndpointBadge({
  endpoint: { disabled_reason, failing_since },
}: {
  endpoint: Pick<Endpoint, "disabled_reason" | "failing_since">
}) {
  if (disabled_reason !== null)
    return <Badge tone={disabled_reason === "requested" ? "plain" : "bad"}>{disabledWords[disabled_reason]}</Badge>
  return failing_since === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="notice">Failing</Badge>
}

type EndpointFormProps = { of: Endpoint | null; onClose: () => void; onCreated?: (id: string) => void }

export function EndpointForm({ of, onClose, onCreated }: EndpointFormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(of?.types ?? allEventTypes))
  const [wantsAll, setWantsAll] = useState((of?.types ?? null) === null)
  const save = useMutation(
    (api, fields: { url: string; description: string | null; types: EventType[] | null; ordered: boolean }) =>
      of === null ? api.webhook.create.mutate(fields) : api.webhook.change.mutate({ id: of.endpoint_id, ...fields }),
  )

  function toggle(type: EventType) {
    const next = new Set(chosen)
    if (!next.delete(type)) next.add(type)
    setChosen(next)
  }

  return (
    <FormDialog
      onClose={onClose}
      title={of === null ? "Add a webhook endpoint" : "Change the webhook endpoint"}
      description={
        of === null
          ? "From now on, events of this workspace are sent to it, signed with its own secret."
          : "Applies to new events, and to those waiting for another attempt."
      }
      submit={of === null ? "Add endpoint" : "Save"}
      check={() => ({ types: !wantsAll && chosen.size === 0 ? "Select at least one type." : undefined })}
      onSubmit={async (values) => {
        const saved = await save.mutateAsync({
          url: String(values.get("url")).trim(),
          description: String(values.get("description")).trim() || null,
          types: wantsAll ? null : allEventTypes.filter((type) => chosen.has(type)),
          ordered: values.get("ordered") !== null,
        })
        if (of === null) onCreated?.(saved.endpoint_id)
      }}
    >
      <TextField
        label="URL"
        name="url"
        hint="An https:// address on the public Internet."
        required
        type="url"
        className="font-mono"
        maxLength={2000}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="https://example.com/webhooks"
        defaultValue={of?.url}
      />
      <TextField
        label="Description"
        name="description"
        hint="Optional. For example, the system that receives the events."
        maxLength={200}
        autoComplete="off"
        defaultValue={of?.description ?? ""}
      />
      <FieldGroup legend="Events" name="types">
        <Checkbox checked={wantsAll} onChange={({ target }) => setWantsAll(target.checked)}>
          All events, including types added later
        </Checkbox>
        {!wantsAll && (
          <>
            <div className="mb-1 flex gap-4 text-[13px]">
              <GroupButton onClick={() => setChosen(new Set())}>None</GroupButton>
              <GroupButton onClick={() => setChosen(new Set(allEventTypes))}>All</GroupButton>
            </div>
            <div className="grid gap-x-4 sm:grid-cols-2">
              {allEventTypes.map((type) => (
                <Checkbox
                  key={type}
                  name="types"
                  value={type}
                  checked={chosen.has(type)}
                  onChange={() => toggle(type)}
                  hint={eventTypes[type]}
                >
                  <code className="font-mono text-[13px]">{type}</code>
                </Checkbox>
              ))}
            </div>
          </>
        )}
      </FieldGroup>
      <Checkbox
        name="ordered"
        defaultChecked={of?.ordered ?? false}
        hint="An event waits until all earlier ones were delivered or given up. Slower: one event that keeps failing holds up the rest for days."
      >
        In order
      </Checkbox>
    </FormDialog>
  )
}

const looks = {
  pending: { word: "Waiting", tone: "notice" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
} as const satisfies Record<DeliveryStatus, { word: string; tone: "notice" | "good" | "bad" }>

type Progress = Pick<
  Delivery,
  "status" | "attempts" | "next_attempt_at" | "ended_at" | "last_status_code" | "last_error"
>

/** A delivery's status. One that keeps failing shows the answer, which says more than that it waits. */
export function DeliveryBadge({ of: { status, attempts, last_status_code, last_error } }: { of: Progress }) {
  const answer = last_error === null ? null : last_status_code === null ? "No answer" : String(last_status_code)
  const isRetrying = status === "pending" && attempts >= failsAfterAttempts && answer !== null
  const { word, tone } = looks[status]
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" {...(last_error && { title: last_error })}>
      {isRetrying ? <Badge tone="bad">{answer}</Badge> : <Badge tone={tone}>{word}</Badge>}
      {isRetrying && <span className="text-xs text-muted">retrying</span>}
      {status === "failed" && answer !== null && <span className="text-xs text-muted">{answer}</span>}
    </span>
  )
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
export const progressColumns: Column<Progress>[] = [
  { header: "Status", cell: (row) => <DeliveryBadge of={row} /> },
  { header: "Attempts", align: "end", wideOnly: true, cell: ({ attempts }) => attempts },
  {
    header: "Ended, or next attempt",
    wideOnly: true,
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
