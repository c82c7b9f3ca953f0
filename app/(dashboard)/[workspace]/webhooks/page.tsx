"use client"

import { Webhook } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { useState } from "react"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type Endpoint, EndpointBadge } from "./endpoint.tsx"
import { EndpointForm } from "./endpoint-form.tsx"

export default function Page() {
  const { can } = useWorkspace()
  const path = usePath()
  const router = useRouter()
  const mayChange = can("webhooks:write")
  const endpoints = useQuery("webhook.list", {})
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHeader
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
      />
      <DataTable
        caption="Webhook endpoints"
        columns={columns}
        list={endpoints}
        rowKey={({ endpoint_id }) => endpoint_id}
        rowHref={({ endpoint_id }) => path("webhooks", endpoint_id)}
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
      {isAdding && (
        <EndpointForm
          of={null}
          onClose={() => setAdding(false)}
          onCreated={(id) => router.push(path("webhooks", id))}
        />
      )}
    </>
  )
}

const column = columnsOf<Endpoint>()

const columns = [
  column.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { breaks: true },
    cell: ({ row: { original } }) => (
      <>
        <code className="block min-w-40 font-mono text-[13px]">{original.url}</code>
        {original.description && <span className="text-xs text-muted">{original.description}</span>}
      </>
    ),
  }),
  column.display({
    id: "status",
    header: "Status",
    cell: ({ row: { original } }) => <EndpointBadge endpoint={original} />,
  }),
  column.accessor("types", {
    header: "Events",
    cell: ({ getValue }) => {
      const types = getValue()
      return types === null ? "All" : `${types.length} ${types.length === 1 ? "type" : "types"}`
    },
  }),
  column.accessor("created_at", {
    header: "Created",
    meta: { wideOnly: true },
    cell: ({ getValue }) => (
      <span className="whitespace-nowrap">
        <Timestamp at={getValue()} />
      </span>
    ),
  }),
]
