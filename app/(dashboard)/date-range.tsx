import { parseAsString } from "nuqs"
import { useId } from "react"
import { Button } from "#app/components/ui/button.tsx"
import { Input, Label } from "#app/components/ui/input.tsx"
import { Popover } from "#app/components/ui/menu.tsx"
import { daysBefore, localIn, timesOf, useTimeZone } from "#app/components/zone.ts"
import { type FieldProps, type Filter, narrow } from "./filters.tsx"

/** Filters by the first and the last day, `YYYY-MM-DD` in the zone of the page, with one control for both. */
export const dateRange = (label: string): { from: Filter; to: Filter } => ({
  from: {
    parser: parseAsString,
    Field: ({ filtered }) => <DateRangeField label={label} filtered={filtered} />,
    asks: (value, zone) => timesOf({ from: value, to: null }, zone).from,
  },
  to: {
    parser: parseAsString,
    // The field of `from` has both.
    Field: () => null,
    asks: (value, zone) => timesOf({ from: null, to: value }, zone).to,
  },
})

/** Ranges that end today, by how many days they begin before. */
const presets = [
  ["Today", 0],
  ["Last 7 days", 6],
  ["Last 30 days", 29],
] as const

type Range = { from: string | null; to: string | null }

function DateRangeField({
  label,
  filtered: { current, change },
}: Pick<FieldProps<string>, "filtered"> & { label: string }) {
  const id = useId()
  const { from = null, to = null }: Partial<Range> = current
  const today = localIn(useTimeZone(), new Date().toISOString()).slice(0, 10)
  const choices: [string, Range][] = [
    ["Any time", { from: null, to: null }],
    ...presets.map(([name, days]): [string, Range] => [name, { from: daysBefore(today, days), to: null }]),
  ]
  const isChosen = (range: Range) => range.from === from && range.to === to
  const chosen = choices.find(([, range]) => isChosen(range))?.[0]
  return (
    <div className={narrow}>
      <Label id={`${id}label`} htmlFor={id} className="mb-1 text-xs! text-muted">
        {label}
      </Label>
      <Popover
        label={label}
        className="w-64"
        trigger={
          <Button
            id={id}
            aria-labelledby={`${id}label ${id}value`}
            className="w-full justify-between! border-field px-3! font-normal! pointer-coarse:h-11"
          >
            <span id={`${id}value`} className="truncate">
              {chosen ?? wordsOf({ from, to })}
            </span>
            <span aria-hidden="true" className="text-muted">
              ▾
            </span>
          </Button>
        }
      >
        {(close) => (
          <>
            <div className="grid grid-cols-2 gap-2">
              {choices.map(([name, range]) => (
                <Button
                  key={name}
                  size="sm"
                  aria-pressed={isChosen(range)}
                  className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
                  onClick={() => {
                    change(range)
                    close()
                  }}
                >
                  {name}
                </Button>
              ))}
            </div>
            <div className="mt-3 space-y-2 border-t border-line pt-3">
              <Day label="From" value={from} onChange={(from) => change({ from })} />
              <Day label="To" value={to} onChange={(to) => change({ to })} />
            </div>
          </>
        )}
      </Popover>
    </div>
  )
}

type DayProps = { label: string; value: string | null; onChange: (value: string | null) => void }

function Day({ label, value, onChange }: DayProps) {
  const id = useId()
  return (
    <div className="flex items-center gap-3">
      <Label htmlFor={id} className="w-12">
        {label}
      </Label>
      <Input id={id} type="date" value={value ?? ""} onChange={({ target }) => onChange(target.value || null)} />
    </div>
  )
}

function wordsOf({ from, to }: Range): string {
  if (from === null) return `Until ${shortDay(to!)}`
  if (to === null) return `Since ${shortDay(from)}`
  return from === to ? shortDay(from) : `${shortDay(from)} – ${shortDay(to)}`
}

/** Such as `3 Nov`, with the year unless it is this one. A text that is no day stays. */
function shortDay(day: string): string {
  const time = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(time.getTime())) return day
  const isThisYear = time.getUTCFullYear() === new Date().getUTCFullYear()
  return new Intl.DateTimeFormat("en-GB", {
    ...{ day: "numeric", month: "short", timeZone: "UTC" },
    ...(!isThisYear && { year: "numeric" }),
  }).format(time)
}
