import { parseAsString, parseAsStringLiteral } from "nuqs"
import { ChoiceField, type FieldProps, type Filter } from "#app/(dashboard)/filters.tsx"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { statusWord } from "#app/components/values.tsx"
import type { StatusCounts } from "#domain/attestations"
import { shortCount } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"

/** A choice of statuses, with the number of rows of each, undefined until counted. */
export function StatusField({
  label = "Status",
  statuses = shownStatuses,
  words = {},
  counts,
  ...field
}: {
  label?: string
  statuses?: readonly ShownStatus[]
  /** Other names for statuses in this list. */
  words?: { [Status in ShownStatus]?: string }
  counts: StatusCounts | undefined
  value: ShownStatus | null
  onChange: (value: ShownStatus | null) => void
}) {
  const withCount = (word: string, of: keyof StatusCounts) => (counts ? `${word} (${shortCount(counts[of])})` : word)
  return (
    <ChoiceField
      {...field}
      label={label}
      all={withCount("All", "all")}
      options={statuses.map((value) => [value, withCount(words[value] ?? statusWord(value), value)] as const)}
      // Reserves the width of the counts, so that nothing moves when they arrive.
      className="sm:w-44"
    />
  )
}

/** Filters by the status of a verification. */
export const status = (label: string, procedure: "attestation.count" | "investor.count"): Filter<ShownStatus> => ({
  parser: parseAsStringLiteral(shownStatuses),
  Field: (props) => <CountedStatus {...props} label={label} procedure={procedure} />,
})

type CountedStatusProps = FieldProps<ShownStatus> & { label: string; procedure: "attestation.count" | "investor.count" }

function CountedStatus({ label, procedure, value, filtered: { asked, current, change } }: CountedStatusProps) {
  const { status: _, order: __, ...others } = asked
  const counts = useQuery(procedure, others, { keep: true })
  const isByExpiry = current.order === "expiry"
  return (
    <StatusField
      label={label}
      counts={counts.data}
      value={isByExpiry ? "verified" : value}
      // Another status restores the usual order.
      onChange={(status) => change({ status, ...(isByExpiry && { order: null }) })}
    />
  )
}

/** Only verified rows expire: the order by expiry shows no others. */
export const searched = <Asked extends { status?: ShownStatus; order?: Order }>(asked: Asked): Asked =>
  asked.order === "expiry" ? { ...asked, status: "verified" } : asked

const orderWords = { oldest: "Oldest first", expiry: "Expiring first" } as const
type Order = keyof typeof orderWords

/** The order of the list. Empty means newest first. */
export const order = <Offered extends Order>(...orders: Offered[]): Filter<Offered> => ({
  parser: parseAsStringLiteral(orders),
  Field: ({ value, onChange }) => (
    <ChoiceField
      {...{ value, onChange }}
      label="Order"
      all="Newest first"
      options={orders.map((one) => [one, orderWords[one]] as const)}
      className="sm:w-38"
    />
  ),
})

/** The labels of the buttons to the previous and next page. */
export const pageNamesOf = (order: keyof typeof pageNames | undefined) => pageNames[order ?? "newest"]
const pageNames = {
  newest: { back: "Newer", on: "Older" },
  oldest: { back: "Older", on: "Newer" },
  expiry: { back: "Sooner", on: "Later" },
}

/** Filters by one of the workspace's schemas. */
export const schema: Filter = {
  parser: parseAsString,
  Field: ({ value, onChange }) => <SchemaField value={value} onChange={onChange} />,
}

function SchemaField(props: { value: string | null; onChange: (value: string | null) => void }) {
  const schemas = useQuery("schema.list", {}).data?.data ?? []
  return (
    <ChoiceField label="Schema" all="All" options={schemas.map(({ id, name }) => [id, name] as const)} {...props} />
  )
}
