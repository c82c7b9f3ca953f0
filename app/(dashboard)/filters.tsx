"use client"

import { parseAsString, type UseQueryStatesKeysMap, useQueryStates } from "nuqs"
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { useCursor } from "#app/components/paging.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Input, Label, Select } from "#app/components/ui/input.tsx"
import { timesOf, useTimeZone } from "#app/components/zone.ts"
import type { FilteredList } from "#shared/saved-filters.ts"
import { SavedFilters } from "./saved-filters.tsx"

const TYPING_MS = 350

const dayParsers = { from: parseAsString, to: parseAsString }

/** The filters of a list, kept in the address: those of `parsers` and a range of days. */
export function useFilters<Parsers extends UseQueryStatesKeysMap>(parsers: Parsers) {
  const [filter, setFilter] = useQueryStates(parsers)
  const [days, setDays] = useQueryStates(dayParsers)
  const zone = useTimeZone()
  const all = { ...filter, ...days }
  const name = JSON.stringify(all)
  const isFiltered = Object.values(all).some((value) => value !== null)
  const clear = () => {
    void setFilter(null)
    void setDays(null)
  }
  return {
    filter,
    setFilter: (change: Parameters<typeof setFilter>[0]) => void setFilter(change),
    days: { ...days, onChange: (change: Partial<Days>) => void setDays(change) },
    /** The range of days as times, for the server. */
    times: timesOf(days, zone),
    /** The filters as they are in the address. */
    current: given(all) as Record<string, string>,
    /** Changes whenever a filter changes. */
    name,
    paging: useCursor(name),
    isFiltered,
    onClear: isFiltered ? clear : null,
  }
}

/** A filter without its empty fields. */
export const given = <Filter extends object>(filter: Filter) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null)) as {
    [Name in keyof Filter]?: NonNullable<Filter[Name]>
  }

type Days = { from: string | null; to: string | null }

/**
 * The row of filters above a list. `onClear` is null while no filter is set. With `saved`, members can save filters
 * under a name.
 */
export function Filters({
  onClear,
  saved,
  children,
}: {
  onClear: (() => void) | null
  saved?: { list: FilteredList; current: Record<string, string> }
  children: ReactNode
}) {
  return (
    <search aria-label="Filters" className="mb-3 grid grid-cols-2 items-end gap-x-3 gap-y-2.5 sm:flex sm:flex-wrap">
      {children}
      {saved && <SavedFilters {...saved} />}
      {onClear && (
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      )}
    </search>
  )
}

const wide = "col-span-2 sm:w-60"
const narrow = "sm:w-34"

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

/** Free text, applied when typing pauses. */
export function TextFilter({
  label,
  value,
  onChange,
  ...props
}: Omit<ComponentProps<"input">, "onChange" | "value"> & {
  label: string
  value: string | null
  onChange: (value: string | null) => void
}) {
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

/** One of a few choices. The first shows everything. */
export function ChoiceFilter({
  label,
  value,
  onChange,
  all,
  options,
  className = narrow,
}: {
  label: string
  value: string | null
  onChange: (value: string | null) => void
  all: string
  className?: string
  options: readonly { value: string; label: string }[]
}) {
  const id = useId()
  return (
    <Field id={id} label={label} className={className}>
      <Select id={id} value={value ?? ""} onChange={({ target }) => onChange(target.value || null)}>
        <option value="">{all}</option>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </Field>
  )
}

/** From one day to another, each `YYYY-MM-DD` in the zone of the page. */
export function DayFilters({
  labels: [from, to],
  days,
}: {
  labels: [string, string]
  days: Days & { onChange: (change: Partial<Days>) => void }
}) {
  return (
    <>
      <DayFilter label={from} value={days.from} onChange={(from) => days.onChange({ from })} />
      <DayFilter label={to} value={days.to} onChange={(to) => days.onChange({ to })} />
    </>
  )
}

function DayFilter({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | null
  onChange: (value: string | null) => void
}) {
  const id = useId()
  return (
    <Field id={id} label={label} className={narrow}>
      <Input id={id} type="date" value={value ?? ""} onChange={({ target }) => onChange(target.value || null)} />
    </Field>
  )
}
