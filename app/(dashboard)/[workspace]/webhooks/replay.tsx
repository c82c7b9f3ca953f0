import { useMemo, useRef, useState } from "react"
import { newKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { SelectField, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { instantIn } from "#app/components/local-time.ts"
import { problemOf } from "#app/components/problem.ts"
import { notify } from "#app/components/toast.ts"
import { useTimeZone } from "#app/components/zone.ts"
import { countOf } from "#shared/counts.ts"
import { keptDays } from "#shared/retention.ts"

const sentAgain = (events: number) =>
  notify(events === 1 ? "1 event is sent again" : `${countOf(events, "event")} are sent again`)

/** The format of a cursor or an event number. */
const POSITION = /^[0-9]{1,15}(-[0-9a-z]{1,16})?$/

/** Sends all events after one again, delivered or not. */
export function ReplayAfter({ id, onClose }: { id: string; onClose: () => void }) {
  const replay = useMutation((api, event: string) =>
    api.webhook.replay.mutate({
      id,
      ...(event.includes("-") ? { cursor: event } : { after: Number(event) }),
    }),
  )
  return (
    <FormDialog
      onClose={onClose}
      title="Replay events"
      description="Sends events again with the same ids, including those already delivered."
      className="max-w-md!"
      submit="Replay"
      check={(values) => ({
        after: POSITION.test(String(values.get("after")).trim())
          ? undefined
          : "Enter a cursor such as 41-9f3a61c0d7e4, or a number.",
      })}
      onSubmit={async (values) => {
        const { events } = await replay.mutateAsync(String(values.get("after")).trim())
        sentAgain(events)
      }}
    >
      <TextField
        label="All after event"
        name="after"
        hint="The cursor or number of the last event you have. 0 sends all."
        required
        defaultValue="0"
      />
    </FormDialog>
  )
}

const HOUR_MS = 3_600_000
/** How far back, in hours. */
const spans = [
  ["1", "The last hour"],
  ["24", "The last 24 hours"],
  ["168", "The last 7 days"],
  ["all", `The last ${keptDays.events} days, all that are kept`],
  ["time", "Since a time…"],
] as const

/** Sends what the endpoint has not accepted again. How many that is stands there before anything is sent. */
export function ReplayFailed({ id, onClose }: { id: string; onClose: () => void }) {
  const zone = useTimeZone()
  const [span, setSpan] = useState("all")
  const [time, setTime] = useState("")
  const since = useMemo(() => sinceOf(span, time, zone), [span, time, zone])
  const counted = useQuery("webhook.countFailed", { id, since: since ?? "" }, { enabled: since !== null })
  const total = counted.data && counted.data.failed + counted.data.retried
  // One key for each choice: a second click, or one after a lost answer, starts nothing.
  const keys = useRef(new Map<string, string>())
  const replay = useMutation((api, failed_since: string) => {
    const idempotencyKey = keys.current.get(failed_since) ?? newKey()
    keys.current.set(failed_since, idempotencyKey)
    return api.webhook.replay.mutate({ id, failed_since }, { context: { idempotencyKey } })
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Replay failed events"
      description="Sends again, with the same ids, what this endpoint has not accepted. Delivered events are not repeated."
      className="max-w-md!"
      submit={total ? `Replay ${countOf(total, "event")}` : "Replay"}
      check={() => ({
        time: span === "time" && since === null ? "Enter a date and a time." : undefined,
        span: total === 0 ? "No event failed in this time." : undefined,
      })}
      onSubmit={async () => {
        const { events } = await replay.mutateAsync(since!)
        sentAgain(events)
      }}
    >
      <SelectField
        label="Failed events of"
        name="span"
        options={spans}
        value={span}
        onChange={({ target }) => setSpan(target.value)}
      />
      {span === "time" && (
        <TextField
          label="Since"
          name="time"
          type="datetime-local"
          hint={`When the event happened, in ${zone}.`}
          value={time}
          onChange={({ target }) => setTime(target.value)}
        />
      )}
      <p role="status" className="min-h-10 text-sm">
        {counted.error ? (
          problemOf(counted.error).detail
        ) : counted.data ? (
          <Counted {...counted.data} />
        ) : (
          since && "Counting…"
        )}
      </p>
    </FormDialog>
  )
}

function Counted({ failed, retried }: { failed: number; retried: number }) {
  if (failed + retried === 0) return "Nothing failed in this time."
  return (
    <>
      <strong className="font-medium">{countOf(failed + retried, "event")}</strong>
      <span className="text-muted">
        : {failed.toLocaleString("en-GB")} failed, {retried.toLocaleString("en-GB")} retrying.
      </span>
    </>
  )
}

function sinceOf(span: string, time: string, zone: string): string | null {
  if (span === "time") return instantIn(zone, time)?.toISOString() ?? null
  const hours = span === "all" ? keptDays.events * 24 : Number(span)
  return new Date(Date.now() - hours * HOUR_MS).toISOString()
}
