"use client"

import { OctagonX, Power, RefreshCw, RotateCcw } from "lucide-react"
import { useParams } from "next/navigation.js"
import { lazy, Suspense, useState } from "react"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Facts, Failed, Loading } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify, notifyFailure } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { countOf } from "#shared/counts.ts"
import { keptDays } from "#shared/retention.ts"
import { type Endpoint, EndpointBadge } from "../endpoint.tsx"
import { CurrentError, HealthCard } from "../health.tsx"
import type { Doing } from "./dialogs.tsx"

// Below the health, which is drawn first.
const Deliveries = lazy(async () => ({ default: (await import("../deliveries.tsx")).Deliveries }))
// Loaded when a member changes the endpoint or sends events again.
const EndpointDialog = lazy(async () => ({ default: (await import("./dialogs.tsx")).EndpointDialog }))
const ReplayFailed = lazy(async () => ({ default: (await import("../replay.tsx")).ReplayFailed }))

const FOLLOW_MS = 10_000
const DAY_MS = 86_400_000

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const { can } = useWorkspace()
  return (
    <DetailPage
      up={[["webhooks"], "Webhooks"]}
      name="Webhook endpoint"
      what="the endpoint"
      query={useQuery("webhook.get", { id }, { every_ms: FOLLOW_MS })}
      head={(endpoint) => ({
        code: endpoint.url,
        badge: <EndpointBadge endpoint={endpoint} />,
        description: (
          <>
            {endpoint.description}
            {endpoint.failing_since && <CurrentError of={id} />}
          </>
        ),
        actions: can("webhooks:write") && <Actions of={endpoint} />,
      })}
    >
      {(endpoint) => (
        <div className="space-y-5">
          <HealthCard id={id}>
            {can("webhooks:write") && endpoint.status === "enabled" && <ReplayFailedButton id={id} />}
          </HealthCard>
          <Settings endpoint={endpoint} />
          <section aria-labelledby="deliveries">
            <h2 id="deliveries" className="mb-3 text-base font-semibold">
              Deliveries
            </h2>
            <Suspense fallback={<Loading what="Loading the deliveries" lines={8} />}>
              <Deliveries of={id} />
            </Suspense>
          </section>
        </div>
      )}
    </DetailPage>
  )
}

/** Shown while anything failed or is retried. How many changes from second to second: its dialog counts them. The address can open its dialog, as the search does. */
function ReplayFailedButton({ id }: { id: string }) {
  const { isOpen, setOpen } = useFormInAddress("replay")
  const [since] = useState(() => new Date(Date.now() - keptDays.events * DAY_MS).toISOString())
  const { data } = useQuery("webhook.countFailed", { id, since }, { every_ms: FOLLOW_MS })
  const total = data ? data.failed + data.retried : 0
  return (
    <>
      {total > 0 && (
        <Button size="sm" onClick={() => setOpen(true)}>
          <RotateCcw aria-hidden="true" />
          Replay failed events
        </Button>
      )}
      <Suspense>{isOpen && <ReplayFailed id={id} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

/** Folded, because members who come here look for a delivery. */
const Settings = ({ endpoint }: { endpoint: Endpoint }) => (
  <details className="group rounded-xl border border-line bg-surface">
    <summary className="flex cursor-pointer list-none items-baseline gap-x-3 rounded-xl px-4 py-3 sm:px-5 [&::-webkit-details-marker]:hidden">
      <h2 className="text-sm font-semibold">Settings</h2>
      <span className="min-w-0 flex-1 truncate text-[13px] text-muted">
        {endpoint.types === null ? "All events" : countOf(endpoint.types.length, "event type")},{" "}
        {endpoint.ordered ? "one after another" : "in any order"}
      </span>
      <Icon name="chevron" className="size-4 shrink-0 self-center text-muted group-open:rotate-180" />
    </summary>
    <div className="border-t border-line p-4 sm:p-5">
      <FactsOf endpoint={endpoint} />
    </div>
  </details>
)

function FactsOf({ endpoint }: { endpoint: Endpoint }) {
  const { can } = useWorkspace()
  const { types, ordered, failing_since, disabled_at, previous_secret_until } = endpoint
  return (
    <Facts
      facts={{
        Events:
          types === null ? (
            "All"
          ) : (
            <ul className="flex flex-wrap gap-x-3 gap-y-1">
              {types.map((type) => (
                <li key={type}>
                  <code className="font-mono text-[13px]">{type}</code>
                </li>
              ))}
            </ul>
          ),
        Order: ordered ? "One after another, by event number" : "Any order, as fast as possible",
        Secret: can("webhooks:write") && <Secret of={endpoint.endpoint_id} />,
        "Old secret": previous_secret_until && (
          <>
            Also signs until <Timestamp at={previous_secret_until} />
          </>
        ),
        "Failing since": failing_since && <Timestamp at={failing_since} />,
        "Disabled since": disabled_at && <Timestamp at={disabled_at} />,
        "Endpoint id": <Copyable compact value={endpoint.endpoint_id} what="the endpoint's id" />,
      }}
    />
  )
}

function Actions({ of }: { of: Endpoint }) {
  const id = of.endpoint_id
  const [doing, setDoing] = useState<Doing | null>(null)
  const test = useMutation((api) => api.webhook.test.mutate({ id }))
  const enable = useMutation((api) => api.webhook.change.mutate({ id, enabled: true }))
  const isEnabled = of.status === "enabled"

  const sendTest = () =>
    test.mutate(undefined, ({ delivered, status_code, latency_ms, error, response }) => {
      if (delivered) notify("The endpoint accepted the test event", `${status_code} after ${latency_ms} ms`)
      else notifyFailure("The endpoint did not accept the test event", [error, response].filter(Boolean).join(" "))
    })

  return (
    <>
      <Button disabled={test.isPending} onClick={sendTest}>
        {test.isPending ? "Sending…" : "Send test event"}
      </Button>
      {isEnabled ? null : (
        <Button variant="primary" disabled={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      )}
      <Button onClick={() => setDoing("change")}>Edit</Button>
      <MoreMenu>
        {isEnabled && (
          <MenuItem onSelect={() => setDoing("replay")}>
            <RotateCcw aria-hidden="true" />
            Replay events
          </MenuItem>
        )}
        <MenuItem onSelect={() => setDoing("rotate")}>
          <RefreshCw aria-hidden="true" />
          Rotate secret
        </MenuItem>
        {isEnabled && (
          <MenuItem onSelect={() => setDoing("disable")}>
            <Power aria-hidden="true" />
            Disable
          </MenuItem>
        )}
        <MenuItem danger onSelect={() => setDoing("delete")}>
          <OctagonX aria-hidden="true" />
          Delete
        </MenuItem>
      </MoreMenu>
      <Suspense>{doing && <EndpointDialog of={of} doing={doing} onClose={() => setDoing(null)} />}</Suspense>
    </>
  )
}

/** The signing secret, read once the member asks to see it. */
function Secret({ of }: { of: string }) {
  const [isShown, setShown] = useState(false)
  const secret = useQuery("webhook.secret", { id: of }, { enabled: isShown })
  if (!isShown)
    return (
      <Button size="sm" onClick={() => setShown(true)}>
        Show
      </Button>
    )
  if (secret.error) return <Failed error={secret.error} onRetry={secret.refetch} />
  return secret.data ? (
    <Copyable value={secret.data.secret} what="the secret" compact />
  ) : (
    <span className="text-muted">Loading…</span>
  )
}
