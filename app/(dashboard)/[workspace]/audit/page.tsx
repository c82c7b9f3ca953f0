"use client"

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs"
import { ChoiceFilter, DayFilter, Filters, TextFilter, timesOf } from "#app/(dashboard)/filters.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { DataTable, useCursor } from "#app/components/data-table.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { useTimeZone } from "#app/components/time-zone.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type AuditActor, auditActors } from "#shared/statuses.ts"
import { columns } from "./columns.tsx"

const PAGE = 50

const things = [
  { value: "key.", label: "API keys" },
  { value: "attestation.", label: "Attestations" },
  { value: "session.", label: "Sessions started by members" },
  { value: "token.", label: "Mints and transfers" },
  { value: "mint_config.", label: "Tokens and rules" },
  { value: "schema.", label: "Schemas" },
  { value: "member.", label: "Members" },
  { value: "account.", label: "Account" },
  { value: "wallet.", label: "Erasures" },
]
const who = {
  user: "People",
  key: "API keys",
  operator: "Command line",
} as const satisfies Record<AuditActor, string>

const filters = {
  action: parseAsString,
  actor: parseAsStringLiteral(auditActors),
  subject: parseAsString,
  from: parseAsString,
  to: parseAsString,
}

export default function Page() {
  const { id: workspaceId } = useWorkspace()
  const [filter, setFilter] = useQueryStates(filters)
  const zone = useTimeZone()
  const name = JSON.stringify(filter)
  const paging = useCursor(name)
  const { cursor } = paging
  const isFiltered = Object.values(filter).some((value) => value !== null)
  const asked = {
    ...(filter.action && { action: filter.action }),
    ...(filter.actor && { actor: filter.actor }),
    ...(filter.subject && { subject: filter.subject }),
    ...timesOf(filter, zone),
  }
  const list = useQuery(
    ["audit", name, cursor],
    (api, signal) => api.audit.list.query({ limit: PAGE, ...asked, ...(cursor && { cursor }) }, { signal }),
    { keep: true },
  )
  const file = `/api/export/audit.csv?${new URLSearchParams({ workspace: workspaceId, ...asked })}`
  return (
    <>
      <PageHeader
        title="Audit"
        heading="Audit log"
        description="Changes in this workspace and the account. Entries cannot be edited or deleted."
        actions={
          <Button asChild>
            <a href={file} download>
              Export CSV
            </a>
          </Button>
        }
      />
      <Filters onClear={isFiltered ? () => void setFilter(null) : null}>
        <TextFilter
          label="Subject"
          placeholder="Id of the changed object"
          value={filter.subject}
          onChange={(subject) => void setFilter({ subject })}
        />
        <ChoiceFilter
          label="What"
          all="Everything"
          options={things}
          value={filter.action}
          onChange={(action) => void setFilter({ action })}
        />
        <ChoiceFilter
          label="Who"
          all="Anyone"
          options={auditActors.map((value) => ({ value, label: who[value] }))}
          value={filter.actor}
          onChange={(actor) => void setFilter({ actor: actor as AuditActor | null })}
        />
        <DayFilter label="From" value={filter.from} onChange={(from) => void setFilter({ from })} />
        <DayFilter label="To" value={filter.to} onChange={(to) => void setFilter({ to })} />
      </Filters>
      <DataTable
        caption="Audit log"
        columns={columns}
        list={list}
        rowKey={({ entry }) => entry}
        paging={paging}
        empty={
          isFiltered ? (
            <Empty title="No matching entries">Remove a filter or choose another date range.</Empty>
          ) : (
            <Empty title="No entries yet">
              Changes to API keys, attestations, tokens, schemas and members appear here.
            </Empty>
          )
        }
      />
    </>
  )
}
