import { parseAsString } from "nuqs"
import { daysBefore, localIn, timesOf, useTimeZone } from "#app/components/zone.ts"
import { type FieldProps, type Filter, narrow } from "./filters.tsx"
import { Day, PopoverField, Preset, shortDay } from "./popover-field.tsx"

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
  const { from = null, to = null }: Partial<Range> = current
  const today = localIn(useTimeZone(), new Date().toISOString()).slice(0, 10)
  const choices: [string, Range][] = [
    ["Any time", { from: null, to: null }],
    ...presets.map(([name, days]): [string, Range] => [name, { from: daysBefore(today, days), to: null }]),
  ]
  const isChosen = (range: Range) => range.from === from && range.to === to
  const chosen = choices.find(([, range]) => isChosen(range))?.[0]
  return (
    <PopoverField label={label} value={chosen ?? wordsOf({ from, to })} className={narrow}>
      {(close) => (
        <>
          <div className="grid grid-cols-2 gap-2">
            {choices.map(([name, range]) => (
              <Preset
                key={name}
                isChosen={isChosen(range)}
                onChoose={() => {
                  change(range)
                  close()
                }}
              >
                {name}
              </Preset>
            ))}
          </div>
          <div className="mt-3 space-y-2 border-t border-line pt-3">
            <Day label="From" value={from} onChange={(from) => change({ from })} />
            <Day label="To" value={to} onChange={(to) => change({ to })} />
          </div>
        </>
      )}
    </PopoverField>
  )
}

function wordsOf({ from, to }: Range): string {
  if (from === null) return `Until ${shortDay(to!)}`
  if (to === null) return `Since ${shortDay(from)}`
  return from === to ? shortDay(from) : `${shortDay(from)} – ${shortDay(to)}`
}
