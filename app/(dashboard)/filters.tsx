"use client"

import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { Button } from "#app/components/ui/button.tsx"
import { Input, Label, Select } from "#app/components/ui/input.tsx"

const TYPING_MS = 350

/** What a list is filtered by, in a row above it. `onClear` is null while nothing is filtered. */
export function Filters({ onClear, children }: { onClear: (() => void) | null; children: ReactNode }) {
  return (
    <search
      aria-label="Filters"
      className="mb-3 grid grid-cols-2 items-end gap-x-3 gap-y-2.5 sm:flex sm:flex-wrap"
    >
      {children}
      {onClear && (
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      )}
    </search>
  )
}

const wide = "col-span-2 sm:w-64"
const narrow = "sm:w-36"

/** Free text, taken over when the typing pauses. */
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
  // Cleared, or changed by going back, from outside.
  useEffect(() => setDraft(value ?? ""), [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  function take(text: string) {
    clearTimeout(timer.current)
    onChange(text.trim() || null)
  }
  return (
    <div className={wide}>
      <Label htmlFor={id} className="mb-1 text-xs! text-muted">
        {label}
      </Label>
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
        {...props}
      />
    </div>
  )
}

/** One of a few; the first says that all are shown. */
export function ChoiceFilter({
  label,
  value,
  onChange,
  all,
  options,
}: {
  label: string
  value: string | null
  onChange: (value: string | null) => void
  all: string
  options: readonly { value: string; label: string }[]
}) {
  const id = useId()
  return (
    <div className={narrow}>
      <Label htmlFor={id} className="mb-1 text-xs! text-muted">
        {label}
      </Label>
      <Select id={id} value={value ?? ""} onChange={({ target }) => onChange(target.value || null)}>
        <option value="">{all}</option>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** A day, `YYYY-MM-DD`, in the zone of the page. */
export function DayFilter({
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
    <div className={narrow}>
      <Label htmlFor={id} className="mb-1 text-xs! text-muted">
        {label}
      </Label>
      <Input
        id={id}
        type="date"
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value || null)}
      />
    </div>
  )
}
