"use client"

import { Webhook } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { useState } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { countOf } from "#shared/counts.ts"
import { type Endpoint, EndpointBadge, EndpointForm } from "./endpoint.tsx"

export default function Page() {
  const { can } = useWorkspace()
  const path = usePath()
  const router = useRouter()
  const mayChange = can("webhooks:write")
  const [isAdding, setAdding] = useState(false)
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

const columns: Column<Endpoint>[] = [
  {
    header: "Endpoint",
    breaks: true,
    cell: ({ url }) => <code className="block min-w-40 font-mono text-[13px]">{url}</code>,
    note: ({ description }) => description,
  },
  { header: "Status", cell: (row) => <EndpointBadge endpoint={row} /> },
  { header: "Events", cell: ({ types }) => (types === null ? "All" : countOf(types.length, "type")) },
  {
    header: "Created",
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ created_at }) => <Timestamp at={created_at} />,
  },
]
