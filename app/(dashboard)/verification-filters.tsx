"use client"

import { ChoiceFilter } from "#app/(dashboard)/filters.tsx"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { statusWord } from "#app/components/ui/badge.tsx"
import type { StatusCounts } from "#server/domain/attestations/count.ts"
import { shortCount } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"

/** By what a verification has come to. */
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
  /** What a status is called here, where it is not by its own name. */
  words?: { [Status in ShownStatus]?: string }
  /** How many there are of each, once they are counted. */
  counts: StatusCounts | undefined
  value: ShownStatus | null
  onChange: (value: ShownStatus | null) => void
}) {
  const withCount = (word: string, of: keyof StatusCounts) =>
    counts ? `${word} (${shortCount(counts[of])})` : word
  return (
    <ChoiceFilter
      label={label}
      all={withCount("All", "all")}
      options={statuses.map((value) => ({
        value,
        label: withCount(words[value] ?? statusWord(value), value),
      }))}
      // As wide before the counts are there: nothing moves when they come.
      className="sm:w-44"
      value={value}
      onChange={(status) => onChange(status as ShownStatus | null)}
    />
  )
}

const orderWords = { oldest: "Oldest first", expiry: "Expiring first" } as const
type Order = keyof typeof orderWords

/** Which come first: the newest where it says nothing. */
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

/** What the ways to the page before and the one after are called. */
export const pageNamesOf = (order: Order | null) => pageNames[order ?? "newest"]
const pageNames = {
  newest: { back: "Newer", on: "Older" },
  oldest: { back: "Older", on: "Newer" },
  expiry: { back: "Sooner", on: "Later" },
}

/** Orders of a list that can go by expiry. */
export const orders = ["oldest", "expiry"] as const

/**
 * The status that a list is filtered by. Only what is verified expires: by expiry there is nothing else, and who chooses
 * another status has the usual order again.
 */
export const statusIn = ({ status, order }: { status: ShownStatus | null; order: Order | null }) =>
  order === "expiry" ? "verified" : status
export const withStatus = (status: ShownStatus | null, order: Order | null) =>
  order === "expiry" ? { status, order: null } : { status }

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
