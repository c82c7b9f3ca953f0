import { parseAsString, parseAsStringLiteral, type SingleParserBuilder, useQueryStates } from "nuqs"
import { type ComponentProps, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { statusWord } from "#app/components/badge.tsx"
import { Input, Label, type Options, Select } from "#app/components/ui/input.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import type { StatusCounts } from "#domain/attestations"
import { shortCount } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"

const TYPING_MS = 350

/** A filter of a list: how it is kept in the address, its field, and what the server is asked for. */
export type Filter<Value extends string = string> = {
  /** Whether it is a text to search for. As the first filter, it is over the list on a phone, too. */
  isSearch?: boolean
  parser: SingleParserBuilder<Value>
  Field: (props: FieldProps<Value>) => ReactNode
  /** What the server is asked for, if it is not the value itself. */
  asks?: (value: Value, zone: string) => string | undefined
  /** Whether it is under "More filters" on wide screens. */
  isRare?: boolean
}

export type FieldProps<Value extends string> = {
  value: Value | null
  onChange: (value: Value | null) => void
  filtered: Filtered
}

// biome-ignore lint/suspicious/noExplicitAny: the filters of a list have values of many types
export type Filters = Record<string, Filter<any>>
/** The filters that are set, as the server takes them. */
export type Asked<Some extends Filters> = {
  [Name in keyof Some]?: Some[Name] extends Filter<infer Value> ? Value : never
}

/** The state of a list's filters, which is in the address. */
export type Filtered = ReturnType<typeof useFilters>

/** `filters` must be the same object at every render. */
export function useFilters(filters: Filters) {
  const parsers = useMemo(() => mapped(filters, ({ parser }) => parser as SingleParserBuilder<string>), [filters])
  const [values, setValues] = useQueryStates(parsers)
  const zone = useTimeZone()
  const current = given(values)
  // Made once, so that a filter that counts from now asks the same until it changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the values
  const asked = useMemo(
    () => given(mapped(current, (value, name) => (filters[name]!.asks ?? same)(value, zone))),
    [filters, zone, JSON.stringify(current)],
  )
  const isFiltered = Object.keys(current).length > 0
  return {
    filters,
    current,
    asked,
    change: (to: Record<string, string | null>) => void setValues(to),
    isFiltered,
    onClear: isFiltered ? () => void setValues(null) : null,
  }
}

const same = (value: string): string => value

const mapped = <From, To>(from: Record<string, From>, change: (value: From, name: string) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value, name)]))

const given = (values: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] != null))

export const text = (label: string, placeholder: string, maxLength?: number): Filter => ({
  isSearch: true,
  parser: parseAsString,
  Field: ({ value, onChange }) => (
    <TextField label={label} placeholder={placeholder} {...(maxLength && { maxLength })} {...{ value, onChange }} />
  ),
})

/** The same filter, under "More filters" on wide screens. */
export const rare = <Value extends string>(filter: Filter<Value>): Filter<Value> => ({ ...filter, isRare: true })

/** Finds people, on the server, by words of their external id or by a part of a wallet. */
export const person = text("Search", "External id or wallet", 200)

/** Values that are their own labels. */
export const asThemselves = <const Value extends string>(values: readonly Value[]): Options<Value> =>
  values.map((value) => [value, value])

/** One of a few choices. The first shows everything. */
export const choice = <Value extends string>(
  label: string,
  all: string,
  options: Options<Value>,
  asks?: Filter<Value>["asks"],
): Filter<Value> => ({
  parser: parseAsStringLiteral(options.map(([value]) => value)),
  Field: ({ value, onChange }) => <ChoiceField {...{ label, all, options, value, onChange }} />,
  ...(asks && { asks }),
})

/** The width of a text field, and of a choice. */
const wide = "max-md:col-span-2 md:w-60"
export const narrow = "md:w-34"

function Field({
  id,
  label,
  className,
  children,
}: {
  id: string
  label: string
  className: string
  children: ReactNode
}) {
  return (
    <div className={className}>
      <Label htmlFor={id} className="mb-1 text-xs! text-muted">
        {label}
      </Label>
      {children}
    </div>
  )
}

type Change = { value: string | null; onChange: (value: string | null) => void }

/** Applied when typing pauses. */
export function TextField({
  label,
  value,
  onChange,
  ...props
}: Omit<ComponentProps<"input">, "onChange" | "value"> & Change & { label: string }) {
  const id = useId()
  const [draft, setDraft] = useState(value ?? "")
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Changed from outside: cleared, or by going back.
  useEffect(() => setDraft(value ?? ""), [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  function take(text: string) {
    clearTimeout(timer.current)
    onChange(text.trim() || null)
  }
  return (
    <Field id={id} label={label} className={wide}>
      <Input
        id={id}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={draft}
        onChange={({ target }) => {
          setDraft(target.value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => take(target.value), TYPING_MS)
        }}
        onKeyDown={({ key }) => key === "Enter" && take(draft)}
        // Not later: a change of the address would cancel a navigation to another page.
        onBlur={() => draft.trim() !== (value ?? "") && take(draft)}
        {...props}
      />
    </Field>
  )
}

export function ChoiceField<Value extends string>({
  label,
  value,
  onChange,
  all,
  options,
  className = narrow,
}: {
  label: string
  value: Value | null
  onChange: (value: Value | null) => void
  all: string
  className?: string
  options: Options<Value>
}) {
  const id = useId()
  return (
    <Field id={id} label={label} className={className}>
      <Select
        id={id}
        value={value ?? ""}
        onChange={({ target }) => onChange((target.value || null) as Value | null)}
        options={[["", all], ...options]}
      />
    </Field>
  )
}

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
      className="md:w-40"
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

/** The order of the list. Empty means newest first. On wide screens the heads of the columns sort: see `sort.ts`. */
export const order = <Offered extends Order>(...orders: Offered[]): Filter<Offered> => ({
  parser: parseAsStringLiteral(orders),
  Field: ({ value, onChange }) => (
    <ChoiceField
      {...{ value, onChange }}
      label="Order"
      all="Newest first"
      options={orders.map((one) => [one, orderWords[one]] as const)}
      className="md:hidden"
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
