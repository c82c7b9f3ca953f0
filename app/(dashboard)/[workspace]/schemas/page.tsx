"use client"

import { FilePlus2 } from "lucide-react"
import { useMemo, useState } from "react"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { DataTable } from "#app/components/data-table.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { columnsFor, type Schema } from "./columns.tsx"
import { SchemaForm } from "./schema-form.tsx"

export default function Page() {
  const { can } = useWorkspace()
  const mayChange = can("schema:write")
  const schemas = useQuery(["schemas"], (api, signal) => api.schema.summary.query({}, { signal }))
  const [form, setForm] = useState<{ of: Schema | null } | null>(null)
  const columns = useMemo(() => columnsFor(mayChange ? (of) => setForm({ of }) : null), [mayChange])
  return (
    <>
      <PageHeader
        title="Schemas"
        description="The checks this workspace offers, and how long each stays valid after the provider's decision."
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
