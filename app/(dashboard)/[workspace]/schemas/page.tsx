"use client"

import { FilePlus2 } from "lucide-react"
import { useMemo, useState } from "react"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type Schema, SchemaForm } from "./schema-form.tsx"

export default function Page() {
  const { can } = useWorkspace()
  const mayChange = can("schema:write")
  const schemas = useQuery("schema.summary", {})
  const [form, setForm] = useState<{ of: Schema | null } | null>(null)
  const columns = useMemo(() => columnsFor(mayChange ? (of) => setForm({ of }) : null), [mayChange])
  return (
    <>
      <PageHeader
        title="Schemas"
        description="A schema is a check that this workspace offers. It sets how long a verification stays valid after the provider's decision."
        actions={
          mayChange && (
            <Button variant="primary" onClick={() => setForm({ of: null })}>
              <FilePlus2 aria-hidden="true" />
              Create schema
            </Button>
          )
        }
      />
      <DataTable
        caption="Schemas"
        columns={columns}
        list={schemas}
        rowKey={({ id }) => id}
        empty={<Empty title="No schemas yet">Create a schema, then start sessions for it.</Empty>}
      />
      {form && <SchemaForm of={form.of} onClose={() => setForm(null)} />}
    </>
  )
}

const column = columnsOf<Schema>()

/** `change` is null for a viewer. */
const columnsFor = (change: ((schema: Schema) => void) | null) => [
  column.display({
    id: "schema",
    header: "Schema",
    cell: ({ row: { original } }) => (
      <>
        <span className="block min-w-32 font-medium">{original.name}</span>
        <code className="font-mono text-xs text-muted">{original.id}</code>
        <span className="block text-xs text-muted sm:hidden">Valid for {days(original.validity_days)}</span>
      </>
    ),
  }),
  column.accessor("validity_days", {
    header: "Valid for",
    meta: { align: "end", className: "max-sm:hidden" },
    cell: ({ getValue }) => <span className="whitespace-nowrap">{days(getValue())}</span>,
  }),
  column.display({
    id: "verified",
    header: "Verified now",
    meta: { align: "end" },
    cell: ({ row: { original } }) => <Verified of={original} />,
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
  ...(change === null
    ? []
    : [
        column.display({
          id: "actions",
          header: () => <span className="sr-only">Actions</span>,
          meta: { align: "end", stays: true },
          cell: ({ row: { original } }) => (
            <Button size="sm" onClick={() => change(original)} aria-label={`Change ${original.name}`}>
              Change
            </Button>
          ),
        }),
      ]),
]

const count = new Intl.NumberFormat("en-GB")

const days = (number: number): string => `${count.format(number)} ${number === 1 ? "day" : "days"}`

function Verified({ of: { id, verified } }: { of: Schema }) {
  const path = usePath()
  const words = `${count.format(verified.count)}${verified.more ? "+" : ""}`
  if (verified.count === 0) return <span className="text-muted">{words}</span>
  return (
    <Link
      href={`${path("attestations")}?schema=${id}&status=verified`}
      prefetch={false}
      className="rounded-sm underline decoration-line underline-offset-4 hover:decoration-current"
    >
      {words}
      <span className="sr-only"> verified attestations of {id}</span>
    </Link>
  )
}
