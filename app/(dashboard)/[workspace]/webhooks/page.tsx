"use client"

import { Webhook } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { type ReactNode, useMemo } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago, NOTHING } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { shortCount } from "#shared/counts.ts"
import { type Endpoint, EndpointBadge, EndpointForm } from "./endpoint.tsx"
import { FailedCount, type Health, LastError, SuccessRate, useHealth } from "./health.tsx"

export default function Page() {
  const { can } = useWorkspace()
  const path = usePath()
  const router = useRouter()
  const mayChange = can("webhooks:write")
  const [isAdding, setAdding] = useFormInAddress("add")
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
      {isAdding && mayChange && (
        <EndpointForm
          of={null}
          onClose={() => setAdding(false)}
          onCreated={(id) => router.push(path("webhooks", id))}
        />
      )}
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
      cell: ({ url }) => <code className="block min-w-40 font-mono text-[13px]">{url}</code>,
      note: ({ description }) => description,
    },
    {
      header: "Status",
      cell: (row) => (
        <>
          <EndpointBadge endpoint={row} />
          {/* On narrow screens, in place of their columns. */}
          <span className="mt-1 block text-xs whitespace-nowrap text-muted md:hidden">
            {of((one) => (
              <>
                <SuccessRate of={one} /> <span className="sr-only">success, </span>· <FailedCount of={one} /> failed
              </>
            ))(row)}
          </span>
        </>
      ),
    },
    { header: "Success, 24 h", wideOnly: true, align: "end", cell: of((one) => <SuccessRate of={one} />) },
    {
      header: "Last success",
      wideOnly: true,
      className: "whitespace-nowrap max-lg:hidden",
      cell: of((one) => <Ago at={one.last_accepted_at} />),
    },
    {
      header: "Waiting",
      wideOnly: true,
      align: "end",
      className: "max-lg:hidden",
      cell: of(({ waiting }) => shortCount(waiting)),
    },
    { header: "Failed", wideOnly: true, align: "end", cell: of((one) => <FailedCount of={one} />) },
    { header: "Last error", wideOnly: true, className: "min-w-44", cell: of((one) => <LastError of={one} />) },
  ]
}
