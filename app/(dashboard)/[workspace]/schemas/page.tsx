"use client"

import { FilePlus2 } from "lucide-react"
import { useState } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, To, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { count, days } from "./days.ts"
import { SchemaForm } from "./schema-form.tsx"

type Schema = RouterOutputs["schema"]["summary"]["data"][number]

export default function Page() {
  const { can } = useWorkspace()
  const mayChange = can("schema:write")
  const [form, setForm] = useState<{ of: Schema | null } | null>(null)
  return (
    <>
      <ListPage
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
        exports="schemas"
        list={useList("schema.summary")}
        columns={mayChange ? [...columns, change((of) => setForm({ of }))] : columns}
        rowPath={({ id }) => ["schemas", id]}
        empty={<Empty title="No schemas yet">Create a schema, then start sessions for it.</Empty>}
      />
      {form && <SchemaForm of={form.of} onClose={() => setForm(null)} />}
    </>
  )
}

const columns: Column<Schema>[] = [
  {
    header: "Schema",
    cell: ({ name }) => <span className="block min-w-32 font-medium">{name}</span>,
    note: ({ id }) => <code className="font-mono">{id}</code>,
  },
  {
    header: "Valid for",
    align: "end",
    phone: "none",
    cell: ({ validity_days }) => <span className="whitespace-nowrap">{days(validity_days)}</span>,
  },
  { header: "Currently verified", align: "end", phone: "labelled", cell: (row) => <Verified of={row} /> },
  {
    header: "Created",
    phone: "none",
    className: "whitespace-nowrap",
    cell: ({ created_at }) => <Timestamp at={created_at} />,
  },
]

const change = (open: (schema: Schema) => void) =>
  actions<Schema>(
    (row) => (
      <Button size="sm" onClick={() => open(row)} aria-label={`Edit ${row.name}`}>
        Edit
      </Button>
    ),
    "none",
  )

function Verified({ of: { id, verified } }: { of: Schema }) {
  const words = `${count.format(verified.count)}${verified.more ? "+" : ""}`
  if (verified.count === 0) return <span className="text-muted">{words}</span>
  return (
    <To
      path={["attestations"]}
      query={`?schema=${id}&status=verified`}
      className="rounded-sm underline decoration-line underline-offset-4 hover:decoration-current"
    >
      {words}
      <span className="sr-only"> verified attestations of {id}</span>
    </To>
  )
}
