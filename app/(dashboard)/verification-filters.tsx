"use client"

import { ChoiceFilter } from "#app/(dashboard)/filters.tsx"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { statusWord } from "#app/components/ui/badge.tsx"
import type { StatusCounts } from "#server/domain/attestations/count.ts"
import { shortCount } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"

/** Filters by the status of a verification. */
export function StatusFilter({
  label = "Status",
  statuses = shownStatuses,
  words = {},
  counts,
  value,
  onChange,
}: {
  label?: string
  statuses?: readonly ShownStatus[]
  /** Other names for statuses in this list. */
  words?: { [Status in ShownStatus]?: string }
  /** The number of rows of each status, undefined until counted. */
  counts: StatusCounts | undefined
  value: ShownStatus | null
  onChange: (value: ShownStatus | null) => void
}) {
  const withCount = (word: string, of: keyof StatusCounts) => (counts ? `${word} (${shortCount(counts[of])})` : word)
  return (
    <ChoiceFilter
      label={label}
      all={withCount("All", "all")}
      options={statuses.map((value) => ({
        value,
        label: withCount(words[value] ?? statusWord(value), value),
      }))}
      // Reserves the width of the counts, so that nothing moves when they arrive.
      className="sm:w-44"
      value={value}
      onChange={(status) => onChange(status as ShownStatus | null)}
    />
  )
}

const orderWords = { oldest: "Oldest first", expiry: "Expiring first" } as const
type Order = keyof typeof orderWords

/** The order of the list. Empty means newest first. */
export const OrderFilter = <Offered extends Order>({
  orders,
  value,
  onChange,
}: {
  orders: readonly Offered[]
  value: Offered | null
  onChange: (value: Offered | null) => void
}) => (
  <ChoiceFilter
    label="Order"
    all="Newest first"
    options={orders.map((value) => ({ value, label: orderWords[value] }))}
    className="sm:w-38"
    value={value}
    onChange={(order) => onChange(order as Offered | null)}
  />
)

/** The labels of the buttons to the previous and next page. */
export const pageNamesOf = (order: Order | null) => pageNames[order ?? "newest"]
const pageNames = {
  newest: { back: "Newer", on: "Older" },
  oldest: { back: "Older", on: "Newer" },
  expiry: { back: "Sooner", on: "Later" },
}

/** Orders of a list that can be sorted by expiry. */
export const orders = ["oldest", "expiry"] as const

/**
 * The status filter of a list. Only verified rows expire: the order by expiry shows no others, and choosing another status
 * restores the usual order.
 */
export const statusIn = ({ status, order }: { status: ShownStatus | null; order: Order | null }) =>
  order === "expiry" ? "verified" : status
export const withStatus = (status: ShownStatus | null, order: Order | null) =>
  order === "expiry" ? { status, order: null } : { status }

/** Filters by one of the workspace's schemas. */
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
export const useSchemaNames = () => useQuery("schema.list", {})
