"use client"

import { ChoiceFilter } from "#app/(dashboard)/filters.tsx"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { statusWord } from "#app/components/ui/badge.tsx"
import { type Count, shortCount } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"

/** By what a verification has come to. */
export function StatusFilter({
  label = "Status",
  counts,
  value,
  onChange,
}: {
  label?: string
  /** How many there are of each, once they are counted. */
  counts?: Record<ShownStatus, Count> | undefined
  value: ShownStatus | null
  onChange: (value: ShownStatus | null) => void
}) {
  return (
    <ChoiceFilter
      label={label}
      all="All"
      options={shownStatuses.map((value) => ({
        value,
        label: counts ? `${statusWord(value)} (${shortCount(counts[value])})` : statusWord(value),
      }))}
      // As wide before the counts are there: nothing moves when they come.
      className="sm:w-44"
      value={value}
      onChange={(status) => onChange(status as ShownStatus | null)}
    />
  )
}

/** Which come first. */
export const OrderFilter = ({
  value,
  onChange,
}: {
  value: "oldest" | null
  onChange: (value: "oldest" | null) => void
}) => (
  <ChoiceFilter
    label="Order"
    all="Newest first"
    options={[{ value: "oldest", label: "Oldest first" }]}
    value={value}
    onChange={(order) => onChange(order as "oldest" | null)}
  />
)

/** By one of the workspace's schemas. */
export function SchemaFilter(props: { value: string | null; onChange: (value: string | null) => void }) {
  const schemas = useSchemaNames()
  return (
    <ChoiceFilter
      label="Schema"
      all="All"
      options={(schemas.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      {...props}
    />
  )
}

/** The workspace's schemas, for a choice of one. */
export const useSchemaNames = () =>
  useQuery(["schemas", "names"], (api, signal) => api.schema.list.query({}, { signal }))
