"use client"

import { useParams } from "next/navigation.js"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { type Endpoint, EndpointBadge } from "../endpoint.tsx"
import { Actions } from "./actions.tsx"
import { Deliveries } from "./deliveries.tsx"
import { Secret } from "./secret.tsx"

const FOLLOW_MS = 10_000

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
        description: endpoint.description,
        actions: can("webhooks:write") && <Actions of={endpoint} />,
      })}
    >
      {(endpoint) => (
        <div className="space-y-5">
          <Card>
            <FactsOf endpoint={endpoint} />
          </Card>
          <section aria-labelledby="deliveries">
            <h2 id="deliveries" className="mb-3 text-base font-semibold">
              Deliveries
            </h2>
            <Deliveries of={id} />
          </section>
        </div>
      )}
    </DetailPage>
  )
}

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
