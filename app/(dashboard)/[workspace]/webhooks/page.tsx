"use client"

import { Webhook } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { lazy, type ReactNode, Suspense, useMemo } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago, NOTHING } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { shortCount } from "#shared/counts.ts"
import { type Endpoint, EndpointBadge } from "./endpoint.tsx"
import { GivenUp, type Health, LastError, SuccessRate, useHealth } from "./health.tsx"

// Loaded when a member adds an endpoint.
const EndpointForm = lazy(async () => ({ default: (await import("./endpoint-form.tsx")).EndpointForm }))

export default function Page() {
  const { can } = useWorkspace()
  const path = usePath()
  const router = useRouter()
  const mayChange = can("webhooks:write")
  const { isOpen: isAdding, setOpen: setAdding } = useFormInAddress("add")
  const health = useHealth()
  const columns = useMemo(() => columnsWith(health), [health])
  return (
    <>
      <ListPage
        title="Webhooks"
        description="Vouch sends the events of this workspace to your systems, signed, and retries until they accept."
        actions={
          mayChange && (
            <Button variant="primary" onClick={() => setAdding(true)}>
              <Webhook aria-hidden="true" />
              Add endpoint
            </Button>
          )
        }
        exports="webhooks"
        list={useList("webhook.list")}
        caption="Webhook endpoints"
        columns={columns}
        rowPath={({ endpoint_id }) => ["webhooks", endpoint_id]}
        empty={
          <Empty title="No webhook endpoints yet">
            {mayChange ? "Add one to stop polling. " : "An owner or a developer can add one. "}
            Or read the events with{" "}
            <Link href="/docs/api" className="text-accent underline">
              GET /events
            </Link>
            .
          </Empty>
        }
      />
      <Suspense>
        {isAdding && mayChange && (
          <EndpointForm
            of={null}
            onClose={() => setAdding(false)}
            onCreated={(id) => router.push(path("webhooks", id))}
          />
        )}
      </Suspense>
    </>
  )
}

function columnsWith(health: ReturnType<typeof useHealth>): Column<Endpoint>[] {
  /** What an endpoint's health shows; nothing until it is loaded. */
  const of = (show: (health: Health) => ReactNode) => (row: Endpoint) => {
    const known = health?.get(row.endpoint_id)
    return known ? show(known) : NOTHING
  }
  return [
    {
      header: "Endpoint",
      breaks: true,
      cell: ({ url }) => <code className="block font-mono text-[13px] max-md:line-clamp-2 md:min-w-40">{url}</code>,
      note: ({ description }) => description,
    },
    {
      header: "Status",
      phone: "value",
      cell: (row) => <EndpointBadge endpoint={row} />,
    },
    { header: "Success, 24 h", phone: "labelled", align: "end", cell: of((one) => <SuccessRate of={one} />) },
    {
      header: "Last success",
      phone: "none",
      className: "whitespace-nowrap max-lg:hidden",
      cell: of((one) => <Ago at={one.last_accepted_at} />),
    },
    {
      header: "Retrying",
      phone: "labelled",
      align: "end",
      className: "md:max-lg:hidden",
      cell: of(({ waiting }) => shortCount(waiting)),
    },
    { header: "Failed", phone: "labelled", align: "end", cell: of((one) => <GivenUp of={one} />) },
    {
      header: "Last error",
      phone: ({ failing_since }) => (failing_since === null ? "none" : "line"),
      className: "md:min-w-44",
      cell: of((one) => <LastError of={one} />),
    },
  ]
}
